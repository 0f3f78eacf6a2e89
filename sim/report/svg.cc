// Covered by tests/cli/clusters_are_drawn.sh.
#include "sim/report/svg.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"

extern char** environ;

namespace brigade {
namespace {

struct Pipe {
  int read_end = -1, write_end = -1;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  static void shut(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  ~Pipe() {
    shut(read_end);
    shut(write_end);
  }
};

// Writes `input` and reads all output at once, so that neither side waits for the other.
bool exchange(const std::string& input, Pipe& to, Pipe& from, std::string& output) {
  size_t written = 0;
  fcntl(to.write_end, F_SETFL, O_NONBLOCK);
  for (;;) {
    if (written == input.size()) Pipe::shut(to.write_end);
    pollfd ends[2] = {{from.read_end, POLLIN, 0}, {to.write_end, POLLOUT, 0}};
    if (poll(ends, to.write_end >= 0 ? 2 : 1, -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (to.write_end >= 0 && ends[1].revents != 0) {
      const ssize_t n = write(to.write_end, input.data() + written, input.size() - written);
      // Whoever closes its input early has said what it has to say in its exit code.
      if (n < 0 && errno != EAGAIN) written = input.size();
      if (n > 0) written += static_cast<size_t>(n);
    }
    if (ends[0].revents != 0) {
      char buffer[1 << 16];
      const ssize_t n = read(from.read_end, buffer, sizeof buffer);
      if (n == 0) return true;
      if (n < 0 && errno != EINTR) return false;
      if (n > 0) output.append(buffer, static_cast<size_t>(n));
    }
  }
}

}  // namespace

Svg svg_of(const std::string& dot) {
  Pipe to, from;
  if (!to.open() || !from.open()) return {"", absl::StrCat("cannot run dot: ", std::strerror(errno))};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from.write_end, STDOUT_FILENO);
  std::string name = "dot", format = "-Tsvg";
  char* const arguments[] = {name.data(), format.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "dot", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return {"", failed == ENOENT ? "drawing needs Graphviz: apt install graphviz"
                                 : absl::StrCat("cannot run dot: ", std::strerror(failed))};
  }
  Pipe::shut(to.read_end);
  Pipe::shut(from.write_end);
  // A dot that ends early must not end us.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Svg svg;
  const bool exchanged = exchange(dot, to, from, svg.text);
  std::signal(SIGPIPE, before);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (exchanged && WIFEXITED(status) && WEXITSTATUS(status) == 0 && !svg.text.empty()) return svg;
  return {"", "dot could not draw the cluster (its own message is above)"};
}

}  // namespace brigade
