// Reads a GGUF's fields in order and never past the end.
//
// Every failure names the file, the field and the byte offset at which the field starts. Field
// names are assembled only when a read fails: a vocabulary has 150,000 strings, and formatting a
// name for each would cost more than the parsing. The cursor therefore carries a Place that the
// parsers update, and each read adds the name of its part.
//
// Values are taken by memcpy: GGUF does not align its fields. All arithmetic compares against what
// is left ("count > left / size"), so nothing can wrap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The end of most messages.
inline constexpr std::string_view kDamaged = "the file is damaged, fetch or convert it again";

// Which entry of the file is being read.
struct Place {
  enum class Section { kHeader, kMetadata, kTensor };
  Section section = Section::kHeader;
  std::uint64_t index = 0;               // entry within the section
  std::optional<std::string_view> name;  // key or tensor name, once it is known
  std::vector<std::uint64_t> elements;   // position inside (nested) arrays, outermost first
};

// Printable and short: quotes, escapes what is not printable ASCII, cuts after 64 bytes.
std::string quoted(std::string_view text);
// `metadata 3 "general.name": value`, `tensor 0 "a": type`, `version`.
std::string describe(const Place& place, std::string_view part);

class Cursor {
 public:
  Cursor(std::string_view file, std::span<const std::byte> bytes) : file_(file), bytes_(bytes) {}

  Place place;

  std::uint64_t offset() const { return offset_; }
  std::uint64_t left() const { return bytes_.size() - offset_; }

  template <typename T>
  T read(std::string_view part) {
    require(sizeof(T), part);
    T value;
    std::memcpy(&value, bytes_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }

  // A u64 length and that many bytes, as a view into the file.
  std::string_view read_string(std::string_view part);
  // A u64 count of things that take at least `least_bytes` each in what follows.
  std::uint64_t read_count(std::string_view part, std::uint64_t least_bytes);
  void skip(std::uint64_t bytes, std::string_view part);

  // Throws Error(kUsage): FILE: PLACE: PART at byte OFFSET PROBLEM: REMEDY.
  [[noreturn]] void fail(std::string_view part, std::uint64_t at, std::string_view problem,
                         std::string_view remedy = kDamaged) const;

 private:
  void require(std::uint64_t bytes, std::string_view part) const;

  std::string file_;
  std::span<const std::byte> bytes_;
  std::uint64_t offset_ = 0;
};

}  // namespace assay
