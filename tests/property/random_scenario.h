// A random scenario from a seed: small clusters of every family, one to three jobs of every kind. It is
// written as YAML and read by the front door, so that what fails can be replayed by a user.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace brigade::property {

// The pieces that a scenario is made of, each a line or a block of YAML that may be left out or made simpler.
struct RandomScenario {
  uint64_t seed = 0;
  std::string cluster;
  std::string network;
  std::vector<std::string> jobs, changes;

  std::string yaml() const;
};

RandomScenario draw(uint64_t seed);

// Takes pieces away, and makes others simpler, as long as `fails` stays true of what is left.
RandomScenario smallest(RandomScenario scenario, const std::function<bool(const RandomScenario&)>& fails);

}  // namespace brigade::property
