// BRIGADE_CHECK names the values on stderr and ends with SIGABRT.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "sim/base/check.h"
#include "tests/catch.h"

namespace {

struct Outcome {
  int status;
  std::string text;
};

// Runs `body` in a child and catches what it writes to stderr.
template <class Body>
Outcome in_child(Body body) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Catch2's handler would report the abort as a failed test
    dup2(ends[1], STDERR_FILENO);
    body();
    _exit(0);
  }
  close(ends[1]);
  Outcome outcome{};
  std::array<char, 512> buffer{};
  for (ssize_t n; (n = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    outcome.text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  waitpid(child, &outcome.status, 0);
  return outcome;
}

}  // namespace

TEST_CASE("a broken invariant aborts and names its values") {
  const int at = 120, now = 130;
  const Outcome outcome =
      in_child([&] { BRIGADE_CHECK(at >= now, "event at ", at, " ns pushed at ", now, " ns"); });
  REQUIRE(WIFSIGNALED(outcome.status));
  CHECK(WTERMSIG(outcome.status) == SIGABRT);
  CHECK(outcome.text.find("at >= now is false: event at 120 ns pushed at 130 ns") != std::string::npos);
}

TEST_CASE("an invariant that holds costs nothing") {
  const Outcome outcome = in_child([] { BRIGADE_CHECK(1 + 1 == 2, "arithmetic"); });
  CHECK(WIFEXITED(outcome.status));
  CHECK(WEXITSTATUS(outcome.status) == 0);
  CHECK(outcome.text.empty());
}
