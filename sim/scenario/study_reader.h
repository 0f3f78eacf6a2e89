// The keys of a study file, read or described.
#pragma once
#include <string>

#include "sim/scenario/fields.h"
#include "sim/scenario/study.h"

namespace brigade {

void read_study(Fields& in, Study& out);
void read_column(Fields& in, StudyColumn& out);

// "cap" of "jobs.train.buckets.cap".
std::string last_key(const std::string& path);

}  // namespace brigade
