#include "gates/cli/text_check.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/core/printable.h"

namespace assay {

void refuse_text_not_utf8(const std::string& flag, const std::string& text) {
  const auto at = first_not_utf8(text);
  if (at) throw Error(ErrorKind::kUsage, fmt::format("{}: byte {} is not UTF-8", flag, *at));
}

void refuse_name_not_utf8(const std::string& flag, const std::string& name) {
  const auto at = first_not_utf8(name);
  if (!at) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} {}: byte {} of the name is not UTF-8: rename the file, or link to it",
                          flag, printable(name), *at));
}

}  // namespace assay
