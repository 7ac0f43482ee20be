// Checks what makes a list of new ops no graph, and whom the sentence blames. Does not check the
// values of single ops; shape_test.cpp does.
#include "model/graph.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

std::string fault(const std::vector<OpSpec>& ops) {
  return graph_fault(ops, [](std::string_view) { return false; });
}

TEST(Graph, a_diamond_is_fine_in_any_order) {
  EXPECT_EQ(
      fault({op_spec("d", {requires_op("b"), prefers_op("c")}), op_spec("c", {requires_op("a")}),
             op_spec("b", {requires_op("a")}), op_spec("a")}),
      "");
}

TEST(Graph, nothing_at_all_is_fine) { EXPECT_EQ(fault({}), ""); }

TEST(Graph, an_id_stands_once) {
  EXPECT_EQ(fault({op_spec("b"), op_spec("a"), op_spec("a")}), "op \"a\" is given twice");
}

TEST(Graph, a_need_must_exist) {
  EXPECT_EQ(fault({op_spec("a", {prefers_op("x")})}), "op \"a\" needs \"x\", which does not exist");
}

TEST(Graph, what_exists_already_may_be_needed) {
  const std::vector<OpSpec> ops{op_spec("a", {requires_op("x")})};
  EXPECT_EQ(graph_fault(ops, [](std::string_view id) { return id == "x"; }), "");
}

TEST(Graph, an_op_that_needs_itself_is_a_cycle) {
  EXPECT_EQ(fault({op_spec("a", {requires_op("a")})}), "op \"a\" is part of a cycle of needs");
}

TEST(Graph, optional_needs_make_cycles_too) {
  EXPECT_NE(fault({op_spec("a", {prefers_op("b")}), op_spec("b", {requires_op("a")})}), "");
}

TEST(Graph, the_blame_is_inside_the_cycle_and_not_behind_it) {
  EXPECT_EQ(fault({op_spec("a", {requires_op("y")}), op_spec("y", {requires_op("z")}),
                   op_spec("z", {requires_op("y")}), op_spec("0", {requires_op("a")})})
                .substr(0, 6),
            "op \"y\"");
}

TEST(Graph, a_long_chain_needs_no_deep_stack) {
  std::vector<OpSpec> ops{op_spec("0")};
  for (int i = 1; i < 20'000; ++i) {
    ops.push_back(op_spec(std::to_string(i), {requires_op(std::to_string(i - 1))}));
  }
  EXPECT_EQ(fault(ops), "");
}

}  // namespace
}  // namespace leaseproof::model
