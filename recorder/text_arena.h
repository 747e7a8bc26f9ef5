// Many texts in few pieces of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace assay {

class TextArena {
 public:
  // The same text, here until the arena ends; moving the arena moves no text.
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > left_) {
      left_ = std::max(text.size(),
                       std::min(kMost, kLeast << std::min<std::size_t>(pieces_.size(), 8)));
      pieces_.emplace_back(new char[left_]);
      at_ = pieces_.back().get();
    }
    std::memcpy(at_, text.data(), text.size());
    const std::string_view kept(at_, text.size());
    at_ += text.size();
    left_ -= text.size();
    return kept;
  }

 private:
  static constexpr std::size_t kLeast = 4096, kMost = 256u << 10;
  std::vector<std::unique_ptr<char[]>> pieces_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace assay
