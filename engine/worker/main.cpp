// assay-worker: serves the protocol of engine/protocol on standard input and output.
//
//   assay-worker [--progress FILE]     until standard input ends
//   assay-worker --version
//
// The stream of replies is moved away from descriptor 1 at the start and standard error is put in
// its place, so that a stray print in a kernel cannot break the protocol.
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "engine/core/error.h"
#include "engine/worker/line_reader.h"
#include "engine/worker/worker.h"

namespace {

// False when the runner is gone.
bool write_line(int descriptor, std::string text) {
  text += '\n';
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

int serve(assay::ProgressCounter& progress) {
  const int replies = ::dup(STDOUT_FILENO);
  if (replies < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    std::perror("assay-worker: cannot move the stream of replies");
    return 1;
  }
  std::signal(SIGPIPE, SIG_IGN);
  assay::Worker worker(progress);
  assay::LineReader lines(STDIN_FILENO);
  std::string line;
  while (true) {
    const assay::LineReader::Result result = lines.next(line);
    if (result == assay::LineReader::Result::kEnd) return 0;
    const bool read = result == assay::LineReader::Result::kLine;
    if (!write_line(replies, read ? worker.answer(line) : worker.refuse_long_line())) return 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs an engine on request: one JSON object per line in, one out.", "assay-worker"};
  app.set_version_flag("--version", std::string("assay-worker ") + ASSAY_VERSION);
  std::string progress_file;
  app.add_option("--progress", progress_file, "file whose first 8 bytes count units of work");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const auto progress = progress_file.empty()
                              ? std::make_unique<assay::ProgressCounter>()
                              : std::make_unique<assay::ProgressCounter>(progress_file);
    return serve(*progress);
  } catch (const assay::Error& error) {
    std::fprintf(stderr, "assay-worker: %s\n", error.what());
    return error.exit_code();
  }
}
