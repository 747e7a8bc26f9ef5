#include "recorder/correction.h"
#include "engine/core/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace assay {
namespace {

constexpr std::string_view kSaid = "): it said \"";
constexpr std::string_view kCorrect = "\"; correct is: ";
constexpr std::size_t kDay = 10;

bool is_day(const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00";
  return text.size() == kForm.size() &&
         std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
           return form == '0' ? c >= '0' && c <= '9' : c == form;
         });
}

}  // namespace

std::string correction_line(const Correction& correction) {
  return fmt::format("{} ({}{}{}{}{}", correction.day, correction.place, kSaid, correction.said,
                     kCorrect, correction.correct);
}

std::vector<Correction> corrections_in(const std::string& section) {
  std::vector<Correction> corrections;
  std::istringstream stream(section);
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t said = line.find(kSaid);
    const std::size_t correct = line.find(kCorrect);
    const bool of_form = said != std::string::npos && correct != std::string::npos &&
                         said + kSaid.size() < correct && said > kDay + 2 &&
                         is_day(line.substr(0, kDay)) && line.compare(kDay, 2, " (") == 0;
    if (!of_form) continue;
    corrections.push_back({line.substr(0, kDay), line.substr(kDay + 2, said - kDay - 2),
                           line.substr(said + kSaid.size(), correct - said - kSaid.size()),
                           line.substr(correct + kCorrect.size())});
  }
  return corrections;
}

std::string with_corrections(std::string text, const std::string& title,
                             const std::vector<Correction>& corrections) {
  if (title == "corrections") return text;
  for (const Correction& correction : corrections) {
    if (lower(correction.place) != title) continue;
    const std::size_t at = text.find(correction.said);
    if (at == std::string::npos) continue;  // its author took the words out; the line has them
    text.insert(at + correction.said.size(),
                fmt::format(" (corrected {}, see Corrections)", correction.day));
  }
  return text;
}

}  // namespace assay
