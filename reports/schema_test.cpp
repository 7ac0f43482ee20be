// Checks that the kept schema is strict, that our reading of it is that of another validator, and
// that it takes the samples. Whether it takes what the program writes is for real_runs_test.cpp.
#include "reports/schema.hpp"

#include <gtest/gtest.h>

#include "reports/another_validator_test.hpp"
#include "reports/sample_results_test.hpp"

namespace leaseproof::reports {
namespace {

std::map<std::string, Json> samples() {
  std::map<std::string, Json> all = sample::green();
  all["broken"] = sample::broken_check();
  return all;
}

TEST(Schema, takes_each_sample_as_another_validator_does) {
  for (const auto& [name, document] : samples()) {
    EXPECT_EQ(schema_problem(document), "") << name;
    EXPECT_TRUE(another_validator_takes(document)) << name;
  }
}

// All objects of a document, by pointer.
void objects_of(const Json& value, const Json::json_pointer& at,
                std::vector<Json::json_pointer>& out) {
  if (value.is_object()) out.push_back(at);
  if (value.is_structured()) {
    for (const auto& item : value.items()) {
      objects_of(item.value(), value.is_array() ? at / std::stoul(item.key()) : at / item.key(),
                 out);
    }
  }
}

struct Counted {
  std::size_t refused = 0;
  std::size_t taken = 0;
};

void expect_agreement(const Json& document, const std::string& what, Counted& count) {
  const bool refused = !schema_problem(document).empty();
  EXPECT_EQ(refused, !another_validator_takes(document)) << what << schema_problem(document);
  ++(refused ? count.refused : count.taken);
}

TEST(Schema, refuses_what_lacks_a_field_or_has_one_too_many_or_of_another_type) {
  Counted counted;
  for (const auto& [name, document] : samples()) {
    std::vector<Json::json_pointer> objects;
    objects_of(document, Json::json_pointer(), objects);
    for (const Json::json_pointer& at : objects) {
      for (const auto& item : document[at].items()) {
        Json without = document;
        without[at].erase(item.key());
        expect_agreement(without, name + at.to_string() + " without " + item.key(), counted);
        Json other = document;
        other[at][item.key()] = item.value().is_object() ? Json("text") : Json::object();
        expect_agreement(other, name + at.to_string() + " spoilt " + item.key(), counted);
      }
      Json more = document;
      more[at]["some_more"] = Json::array();
      expect_agreement(more, name + at.to_string() + " with more", counted);
    }
  }
  // What is taken: names of a map that are there no more, and the few fields that may be left out.
  EXPECT_GT(counted.refused, 20 * counted.taken / 10) << counted.taken;
  EXPECT_GT(counted.refused, 500U);
}

TEST(Schema, asks_for_every_field_at_the_top) {
  const std::map<std::string, std::vector<std::string>> optional{{"bench", {"baseline"}}};
  for (const auto& [name, document] : sample::green()) {
    for (const auto& item : document.items()) {
      const auto found = optional.find(name);
      if (found != optional.end() && found->second.front() == item.key()) continue;
      Json without = document;
      without.erase(item.key());
      EXPECT_NE(schema_problem(without).find("'" + item.key() + "' is missing"), std::string::npos)
          << name << " " << schema_problem(without);
    }
  }
}

TEST(Schema, says_where_and_what) {
  Json document = sample::check();
  document["tally"]["invariants"]["no_stale_commit"].erase("judged");
  EXPECT_EQ(schema_problem(document), "/tally/invariants/no_stale_commit: 'judged' is missing");
  document = sample::check();
  document["runs_done"] = -1;
  EXPECT_EQ(schema_problem(document), "/runs_done: is less than 0");
  document = sample::check();
  document["command"] = "chek";
  EXPECT_EQ(schema_problem(document),
            "/command: is none of gate, check, explore, sweep, crash, stress, mutants, bench");
  document = sample::check();
  document["seed"] = "7";
  EXPECT_EQ(schema_problem(document), "/seed: is of type string, not integer");
}

}  // namespace
}  // namespace leaseproof::reports
