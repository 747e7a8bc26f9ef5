// assay help [COMMAND]
#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "experiments/nearest_name.h"
#include "gates/cli/command_line.h"

namespace assay {

Action define_help(CLI::App& app) {
  auto words = std::make_shared<std::vector<std::string>>();
  app.add_option("COMMAND", *words, "the command to explain");
  return [words](const CommonOptions&) {
    if (words->empty()) {
      std::cout << help_of_all();
      return 0;
    }
    std::string name;
    for (const std::string& word : *words) name += (name.empty() ? "" : " ") + word;
    const Command* command = find_command(name);
    if (command == nullptr && words->size() == 1) {
      const std::string family = help_of_family(name);
      std::cout << family;
      if (!family.empty()) return 0;
    }
    if (command == nullptr) {
      std::vector<std::string_view> names;
      for (const Command& known : commands()) names.push_back(known.name);
      throw Error(
          ErrorKind::kUsage,
          "no command `" + name + "`" + suggestion(name, names, "`assay help` lists the commands"));
    }
    std::cout << help_of(*command);
    return 0;
  };
}

}  // namespace assay
