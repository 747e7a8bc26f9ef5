#include "gates/landing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "experiments/definition.h"
#include "experiments/service_map.h"

namespace assay {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

[[noreturn]] void write_failed(const std::string& path, const char* step) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: cannot {}: {}; the file is as it was, free space or permissions and "
                          "run any command again",
                          path, step, std::strerror(errno)));
}

void sync_folder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

bool write_whole(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return fsync(fd) == 0;
}

}  // namespace

void write_file_atomically(const std::string& path, const std::string& text) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::string temporary = path + ".XXXXXX";
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) write_failed(path, "write beside it");
  fchmod(fd, 0644);
  if (!write_whole(fd, text)) {
    const int error = errno;
    close(fd);
    unlink(temporary.c_str());
    errno = error;
    write_failed(path, "write its new text");
  }
  close(fd);
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    errno = error;
    write_failed(path, "put its new text in place");
  }
  sync_folder(folder.empty() ? "." : folder);
}

std::vector<OpenIntent> open_intents(const History& history) {
  std::vector<OpenIntent> open;
  for (const ExperimentLabel& label : history.experiments()) {
    const ExperimentView view = fold(history.events(label.slug));
    const AttemptView* judged = view.judged();
    if (judged == nullptr || view.applied || judged->verdict->intents.empty()) continue;
    open.push_back({label.slug, judged->verdict_run, judged->verdict->intents.front()});
  }
  return open;
}

void settle_intent(const OpenIntent& open, const std::string& workspace, const History& history,
                   Journal& journal, bool discard) {
  const std::string path = workspace + "/" + open.intent.path;
  if (discard) {
    journal.append(open.run, EventKind::kApplied,
                   Applied{open.intent.path, sha256_hex(read_all(path))});
    journal.end_run(open.run,
                    {"landed", 0, "settled by hand: " + open.intent.path + " kept as it is"});
    return;
  }
  const ExperimentView view = fold(history.events(open.slug));
  const Definition definition = parse_definition(view.proposal.definition, open.slug);
  const AttemptView& judged = *view.judged();
  ServiceMap map = parse_service_map(read_all(path), path);
  const ServiceMap landed = parse_service_map(open.intent.after_text, path);
  for (const auto& [op, variant] : judged.opened.candidate) {
    for (const auto& [key, ops] : landed.devices) {
      const auto rows = ops.find(op);
      if (rows == ops.end()) continue;
      for (const MapRow& row : rows->second) {
        if (row.row.variant == variant && row.by == open.slug) {
          map = with_landed(map, key, definition.scope, op, variant, open.slug);
        }
      }
    }
  }
  const std::string text = emit(map);
  write_file_atomically(path, text);
  journal.append(open.run, EventKind::kApplied, Applied{open.intent.path, sha256_hex(text)});
  journal.end_run(open.run,
                  {"landed", 0, "settled by hand: the landed row put into " + open.intent.path});
}

void apply_intent(const OpenIntent& open, const std::string& workspace, Journal& journal) {
  const std::string path = workspace + "/" + open.intent.path;
  const std::string now = read_all(path);
  const std::string after_sha256 = sha256_hex(open.intent.after_text);
  const bool before = sha256_hex(now) == open.intent.before_sha256;
  if (!before && now != open.intent.after_text) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: {} landed, but the file is neither what it was before nor what it "
                    "should become. Settle it with `assay apply {}` (writes the landed row "
                    "into it) or `assay apply {} --discard`.\n--- in the file\n{}--- as landed\n{}",
                    path, open.slug, open.slug, open.slug, now, open.intent.after_text));
  }
  if (before) write_file_atomically(path, open.intent.after_text);
  journal.append(open.run, EventKind::kApplied, Applied{open.intent.path, after_sha256});
  journal.end_run(open.run, {"landed", 0, "applied to " + open.intent.path});
}

}  // namespace assay
