#include "engine/tokenizer/fragments.h"

namespace assay {
namespace {

// Cuts every occurrence of `special` out of the plain fragments.
std::vector<Fragment> cut_out(const std::vector<Fragment>& fragments, const SpecialToken& special) {
  std::vector<Fragment> result;
  for (const Fragment& fragment : fragments) {
    std::string_view rest = fragment.text;
    std::size_t at = fragment.token < 0 ? rest.find(special.text) : std::string_view::npos;
    while (at != std::string_view::npos) {
      if (at > 0) result.push_back({rest.substr(0, at)});
      result.push_back({rest.substr(at, special.text.size()), special.id});
      rest.remove_prefix(at + special.text.size());
      at = rest.find(special.text);
    }
    if (!rest.empty()) result.push_back({rest, fragment.token});
  }
  return result;
}

}  // namespace

std::vector<Fragment> cut_at_specials(std::string_view text,
                                      const std::vector<SpecialToken>& specials, bool control) {
  std::vector<Fragment> fragments;
  if (!text.empty()) fragments.push_back({text});
  for (const SpecialToken& special : specials) {
    if (control || special.always) fragments = cut_out(fragments, special);
  }
  return fragments;
}

}  // namespace assay
