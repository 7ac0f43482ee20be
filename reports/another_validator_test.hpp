// The kept schema in the hands of a validator of somebody else.
#pragma once

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "reports/schema.hpp"

namespace leaseproof::reports {

inline bool another_validator_takes(const Json& document) {
  static const valijson::Schema* const schema = [] {
    auto* parsed = new valijson::Schema;  // as long as the process
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(result_schema()), *parsed);
    return parsed;
  }();
  valijson::Validator validator;
  return validator.validate(*schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}

}  // namespace leaseproof::reports
