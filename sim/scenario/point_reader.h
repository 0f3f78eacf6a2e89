// The points of a study as scenarios. Reads every file once, however many points there are; for one thread.
#pragma once
#include <cstddef>
#include <string>

#include "sim/scenario/input_files.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/study.h"

namespace brigade {

class PointReader {
 public:
  // `study` outlives this.
  explicit PointReader(const Study& study);

  // The base with `set`, overrides and the values of `point` laid over it. Its input_hash covers the files
  // that it was read from and all of these values: points of equal hashes have equal results.
  ScenarioParts read(size_t point, Diagnostics& errors);

 private:
  void apply(const StudyDimension& dimension, const StudyValue& value, InputFiles& files, Node& root,
             Diagnostics& errors) const;

  const Study& study_;
  SchemaKey schema_;
  FileCache files_;
  std::string written_text_;  // of a base that is written in the study
};

// Reads the study's values: the mistakes that no point could be read with, and those of the base. A
// combination of sound values that makes no scenario is no mistake here: that point fails alone.
void check_points(const Study& study, Diagnostics& errors);

}  // namespace brigade
