#include "gates/cli/driven_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace assay {

Finished run_assay(const std::string& folder, const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment) {
  const TemporaryFolder kept;
  const std::string out = kept.path() + "/out";
  const std::string err = kept.path() + "/err";
  const std::string program = std::string(ASSAY_BIN) + "/assay";
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT, 0600);
    const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(out_fd, 1);
    dup2(err_fd, 2);
    std::vector<char*> words = {const_cast<char*>(program.c_str())};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    if (chdir(folder.c_str()) == 0) execv(program.c_str(), words.data());
    _exit(126);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(out),
          read_text(err)};
}

TestWorkspace::TestWorkspace() {
  std::filesystem::create_directories(path("results"));
  write_text(path("experiments/in_service.yaml"),
             read_text(std::string(ASSAY_SOURCE_ROOT) + "/experiments/in_service.yaml"));
}

}  // namespace assay
