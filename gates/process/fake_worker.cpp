// A worker for the tests of the client: answers like one, and misbehaves on request. The `model` of
// a `load` request names the behaviour.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

std::uint64_t* progress = nullptr;

void sleep_ms(int milliseconds) {
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
}

void say(const nlohmann::json& reply) {
  std::cout << reply.dump() << std::endl;
}

// True when the behaviour was an answer of its own.
bool misbehave(const std::string& how) {
  if (how == "hang") sleep_ms(3'600'000);
  if (how == "slow") {
    for (int i = 0; i < 30; ++i) {
      sleep_ms(50);
      __atomic_fetch_add(progress, 1, __ATOMIC_RELAXED);
    }
  }
  if (how == "endless") {
    while (true) {
      sleep_ms(10);
      __atomic_fetch_add(progress, 1, __ATOMIC_RELAXED);
    }
  }
  if (how == "segv") {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (how == "exit") _exit(3);
  if (how == "fork and exit" || how == "fork and hang") {
    const pid_t child = fork();
    if (child == 0) {
      sleep_ms(3'600'000);
      _exit(0);
    }
    std::cerr << "child " << child << std::endl;
    if (how == "fork and exit") _exit(0);
    sleep_ms(3'600'000);
  }
  if (how == "garbage") std::cout << "Segment 7 done, all fine" << std::endl;
  if (how == "other reply") say({{"reply", "work"}});
  if (how == "two lines") std::cout << "{\"reply\":\"load\"}\n{\"reply\":\"load\"}" << std::endl;
  if (how == "huge") {
    const std::string block(1 << 20, 'x');
    while (std::cout << block) {
    }
  }
  if (how == "close") {
    close(1);
    sleep_ms(3'600'000);
  }
  if (how == "refuse") say({{"error", {{"kind", 2}, {"message", "no such model: refuse"}}}});
  if (how == "stderr") {
    for (int i = 0; i < 40000; ++i) std::cerr << "line " << i << '\n';
  }
  return how == "garbage" || how == "other reply" || how == "two lines" || how == "refuse";
}

void serve(const nlohmann::json& request) {
  const std::string name = request.at("request");
  if (name == "hello") {
    say({{"reply", "hello"}, {"protocol", 1}, {"program", "fake"}, {"device_key", "cpu"}});
  } else if (name == "load") {
    if (misbehave(request.at("model"))) return;
    say({{"reply", "load"}, {"name", request.at("model")}, {"threads", request.at("threads")}});
  } else if (name == "tokenize") {
    const std::string text = request.at("text");
    say({{"reply", "tokenize"}, {"tokens", {text.size()}}});
  } else {
    say({{"reply", name}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--progress") return 2;
  const int fd = open(argv[2], O_RDWR);
  if (fd < 0) return 4;
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) return 5;
  progress = static_cast<std::uint64_t*>(page);
  std::string line;
  while (std::getline(std::cin, line)) serve(nlohmann::json::parse(line));
  return 0;
}
