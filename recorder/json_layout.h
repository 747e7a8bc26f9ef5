// Compact JSON out of texts, laid out for people, without parsing it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace assay {

// A string as compact JSON has it; the second puts it behind what `out` holds.
std::string json_quoted(std::string_view text);
void append_json_quoted(std::string& out, std::string_view text);

// As nlohmann's dump(2) prints what it parses from all the pieces, given that keys are sorted and
// numbers in their shortest form there already. No piece ends within a string.
class JsonLayout {
 public:
  // `expected`: how many bytes will come, about; it grows where that was too few.
  explicit JsonLayout(std::size_t expected = 0) { make_room(expected); }

  void add(std::string_view piece);
  void add_quoted(std::string_view text);  // as add(json_quoted(text)) does, or throws
  // False where it is not one object or array with its brackets and quotes in pairs, and no more;
  // then what was laid out is of no use. Not whether it is JSON in all.
  enum class Shape { kIndented, kLine };  // kLine: all of it on one line
  [[nodiscard]] bool add_whole(std::string_view body, Shape shape = Shape::kIndented);
  std::string_view text() const { return {text_.get(), size_}; }

 private:
  void make_room(std::size_t more);
  void new_line();
  // Each returns where what it laid out ended.
  std::size_t add_plain(std::string_view piece, std::size_t at);
  std::size_t add_numbers(std::string_view piece, std::size_t at);

  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0, capacity_ = 0;
  std::string open_;    // brackets
  bool fresh_ = false;  // a bracket was opened, and nothing stands in it yet
  bool in_line_ = false;
  // Of the body that add_whole() adds: how many brackets are open around it, whether its own was
  // closed, and whether nothing was wrong so far.
  std::size_t floor_ = 0;
  bool ended_ = false, sound_ = true;
};

}  // namespace assay
