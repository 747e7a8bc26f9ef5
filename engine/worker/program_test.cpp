// The real program over real pipes: streams, progress file, exit codes.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/backend/cpu/service_of_level.h"
#include "engine/protocol/messages.h"

namespace assay {
namespace {

using Json = nlohmann::json;

class Program {
 public:
  explicit Program(std::vector<std::string> arguments = {}) {
    int down[2];
    int up[2];
    if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0) return;
    arguments.insert(arguments.begin(), ASSAY_BIN "/assay-worker");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(down[0], STDIN_FILENO);
      ::dup2(up[1], STDOUT_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(down[0]);
    ::close(up[1]);
    requests_ = ::fdopen(down[1], "w");
    replies_ = ::fdopen(up[0], "r");
  }
  ~Program() {
    close_input();
    if (replies_ != nullptr) std::fclose(replies_);
    if (!ended_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(const std::string& line) {
    std::fputs((line + "\n").c_str(), requests_);
    std::fflush(requests_);
  }
  std::string line() {
    char* text = nullptr;
    std::size_t size = 0;
    const ssize_t length = ::getline(&text, &size, replies_);
    const std::string result = length < 0 ? std::string() : std::string(text);
    std::free(text);
    return result;
  }
  Json ask(const Json& request) {
    send(request.dump());
    const std::string reply = line();
    return reply.empty() ? Json() : Json::parse(reply);
  }
  void close_input() {
    if (requests_ != nullptr) std::fclose(requests_);
    requests_ = nullptr;
  }
  // Exit code, or -1 when it died of a signal.
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  std::FILE* requests_ = nullptr;
  std::FILE* replies_ = nullptr;
};

Json load_embedded() {
  Json request = LoadRequest{.model = "embedded",
                             .backend = "cpu",
                             .service = service_of_level(cpu_level()),
                             .context = 128,
                             .threads = 1};
  request["request"] = "load";
  return request;
}

TEST(Program, VersionIsOneLine) {
  Program program({"--version"});
  EXPECT_EQ(program.line(), "assay-worker 0.1.0\n");
  EXPECT_EQ(program.wait(), 0);
}

TEST(Program, AnUnknownOptionIsBadUsage) {
  Program program({"--fast"});
  EXPECT_EQ(program.wait(), 2);
}

TEST(Program, AProgressFileThatCannotBeIsBadUsage) {
  Program program({"--progress", "/nowhere/page"});
  EXPECT_EQ(program.wait(), 2);
}

TEST(Program, TheEndOfItsInputIsTheEndOfTheProgram) {
  Program program;
  EXPECT_EQ(program.ask({{"request", "hello"}})["reply"], "hello");
  program.close_input();
  EXPECT_EQ(program.wait(), 0);
}

TEST(Program, TheEmbeddedModelWritesText) {
  Program program;
  const Json loaded = program.ask(load_embedded());
  ASSERT_EQ(loaded["reply"], "load") << loaded;
  EXPECT_EQ(loaded["name"], "Assay embedded");
  EXPECT_EQ(loaded["has_vocabulary"], true);
  const Json prompt = program.ask({{"request", "tokenize"}, {"text", "In the beginning"}});
  const Json work = program.ask({{"request", "work"}, {"prompt", prompt["tokens"]}, {"steps", 6}});
  ASSERT_EQ(work["reply"], "work") << work;
  const Json text = program.ask({{"request", "detokenize"}, {"tokens", work["tokens"]}});
  EXPECT_EQ(text["text_base64"], "IG9mIHRoZSB5ZWFyLCB0aGUgc2FtZQ==");  // " of the year, the same"
}

TEST(Program, ProgressRisesInTheSharedPage) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("assay_page_" + std::to_string(::getpid())))
          .string();
  Program program({"--progress", path});
  const auto count = [&path] {
    std::uint64_t value = 0;
    std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  };
  program.ask({{"request", "hello"}});
  EXPECT_EQ(count(), 1u);
  program.ask(load_embedded());
  const std::uint64_t loaded = count();
  EXPECT_GE(loaded, 3u);
  const Json work = program.ask({{"request", "work"}, {"prompt", {1, 2}}, {"steps", 1}});
  std::uint64_t launches = 1;  // and the request itself
  for (const char* phase : {"prefill_counts", "decode_counts"}) {
    for (const auto& [variant, launched] : work[phase].items()) {
      launches += launched.get<std::uint64_t>();
    }
  }
  EXPECT_EQ(count() - loaded, launches);
  std::filesystem::remove(path);
}

TEST(Program, ALineOfMoreThan64MiBIsRefusedAndTheNextOneAnswered) {
  Program program;
  program.send(std::string((std::size_t{64} << 20) + 1, ' '));
  EXPECT_EQ(Json::parse(program.line())["error"]["message"],
            "request: the line is longer than 64 MiB");
  EXPECT_EQ(program.ask({{"request", "hello"}})["reply"], "hello");
}

}  // namespace
}  // namespace assay
