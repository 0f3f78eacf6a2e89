// `--set jobs.train.buckets.cap=50MB`: values laid over the tree before it is read, so that they meet the
// same checks.
//
// A path is keys with dots, and [i] for an item of a list. Maps that the file left out are made where the
// schema knows them; names of the user's choice (a job, a model) must exist. A value in [..] or {..} is YAML,
// any other is taken as it stands.
#pragma once
#include <string>

#include "sim/base/diagnostic.h"
#include "sim/scenario/document.h"
#include "sim/scenario/schema.h"

namespace brigade {

void apply_override(const std::string& override, const SchemaKey& schema, Node& root, Diagnostics& errors);
// The same for a value that has been read from a file. Errors of the path are at `at`.
void apply_value(const std::string& path, const Place& at, Node value, const SchemaKey& schema, Node& root,
                 Diagnostics& errors);

}  // namespace brigade
