// `brigade schema` names every key with default, type and meaning; its JSON is JSON.
#include <nlohmann/json.hpp>

#include "sim/scenario/schema.h"
#include "tests/catch.h"

using namespace brigade;

namespace {

void check_described(const SchemaKey& key) {
  for (const SchemaKey& child : key.children) {
    CAPTURE(key.key, child.key);
    CHECK(!child.type.empty());
    CHECK((child.key.empty() || !child.meaning.empty()));
    check_described(child);
  }
}

}  // namespace

TEST_CASE("every key has a type and a meaning") {
  check_described(scenario_schema());
  check_described(cluster_schema());
}

TEST_CASE("the text shows keys, defaults and choices") {
  const std::string text = schema_text();
  CHECK(text.find("\n  segment: size (1 MiB), whole, or auto") != std::string::npos);
  CHECK(text.find("# default 1 MiB: piece in which a message crosses links") != std::string::npos);
  CHECK(text.find("      rule: pytorch | fixed ") != std::string::npos);
  CHECK(text.find("    # with kind: ddp\n") != std::string::npos);
}

TEST_CASE("the JSON schema is an object schema of draft 2020-12") {
  const nlohmann::json schema = nlohmann::json::parse(schema_json());
  CHECK(schema.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema.at("required") == nlohmann::json({"brigade", "cluster", "jobs"}));
  CHECK(schema.at("additionalProperties") == false);
  const nlohmann::json& job = schema.at("properties").at("jobs").at("additionalProperties");
  CHECK(job.at("properties").at("buckets").at("properties").at("rule").at("enum") ==
        nlohmann::json({"pytorch", "fixed", "horovod"}));
}
