#include <chrono>
#include <exception>

#include "engine/replay/replay.h"

namespace assay::replay {

void Report::line(char part, const std::string& check, const std::function<Outcome()>& run) {
  const auto start = std::chrono::steady_clock::now();
  Line line{.part = part, .check = check, .outcome = {}, .seconds = 0};
  try {
    line.outcome = run();
  } catch (const std::exception& error) {
    line.outcome = {.ok = false, .judged = true, .sentence = error.what(), .figures = {}};
  }
  line.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  print_(line);
  lines_.push_back(std::move(line));
}

}  // namespace assay::replay
