// Method: one walk over the bytes that knows only what the store writes: no blanks, keys in order,
// plain ASCII, the short escapes. Whatever else it meets, right or wrong, it leaves to the library,
// from the start. Rejected: another JSON library, whose values would have to be turned into these.
#include "experiments/record/json_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.h"

namespace assay {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 60;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Each read_... is false where the text is not of the simple form.
class Reader {
 public:
  explicit Reader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool read(Json& value) { return read_value(value, 0) && at_ == end_; }

  // Keys that there are, in order; any may be missing.
  bool read(PairSample& sample) {
    if (!take('{') || take('}')) return false;
    std::string last, key;
    do {
      key.clear();
      if (!read_string(key) || !take(':') || (key <= last && !last.empty())) return false;
      if (!read_member(key, sample)) return false;
      last.swap(key);
    } while (take(','));
    return take('}') && at_ == end_;
  }

 private:
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool read_value(Json& value, int depth) {
    if (at_ == end_ || depth > kDeepest) return false;
    switch (*at_) {
      case '{':
        return read_object(value, depth);
      case '[':
        return read_array(value, depth);
      case '"':
        value = Json(Json::value_t::string);
        return read_string(value.get_ref<std::string&>());
      case 't':
        value = true;
        return read_word("true");
      case 'f':
        value = false;
        return read_word("false");
      case 'n':
        value = nullptr;
        return read_word("null");
      default:
        return read_number(value);
    }
  }

  bool read_member(const std::string& key, PairSample& sample) {
    if (key == "dropped") return read_string(sample.dropped);
    if (key == "environment") return read_string(sample.environment);
    if (key == "labels") return read_string(sample.labels);
    if (key == "ordinal") return read_integer(sample.ordinal);
    if (key == "runner_ns") return read_integers(sample.runner_ns);
    if (key == "stage") return read_string(sample.stage);
    if (key == "telemetry") return read_value(sample.telemetry, 1);
    if (key == "worker_ns") return read_integers(sample.worker_ns);
    return false;
  }

  bool read_integers(std::vector<std::int64_t>& values) {
    if (!take('[')) return false;
    if (take(']')) return true;
    values.reserve(24);
    do {
      if (!read_integer(values.emplace_back())) return false;
    } while (take(','));
    return take(']');
  }

  // Only of plain digits: what follows them is looked at by the caller.
  template <typename Number>
  bool read_integer(Number& value) {
    const char* const digits = at_ + (at_ != end_ && *at_ == '-' ? 1 : 0);
    const auto [end, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || (*digits == '0' && end - at_ > 1)) return false;
    at_ = end;
    return true;
  }

  bool read_word(std::string_view word) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  bool read_object(Json& value, int depth) {
    value = Json::object();
    auto& object = value.get_ref<Json::object_t&>();
    ++at_;
    if (take('}')) return true;
    do {
      std::string key;
      if (!read_string(key) || !take(':')) return false;
      if (!object.empty() && key <= object.rbegin()->first) return false;
      const auto entry = object.emplace_hint(object.end(), std::move(key), nullptr);
      if (!read_value(entry->second, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  bool read_array(Json& value, int depth) {
    value = Json::array();
    auto& array = value.get_ref<Json::array_t&>();
    ++at_;
    if (take(']')) return true;
    array.reserve(8);
    do {
      if (!read_value(array.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool read_string(std::string& text) {
    if (!take('"')) return false;
    while (true) {
      const char* const begin = at_;
      while (at_ != end_ && *at_ != '"' && *at_ != '\\') {
        const auto byte = static_cast<unsigned char>(*at_);
        if (byte < 0x20 || byte >= 0x7f) return false;
        ++at_;
      }
      text.append(begin, at_);
      if (take('"')) return true;
      if (!take('\\') || at_ == end_) return false;
      constexpr std::string_view kWritten = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
      const std::size_t which = kWritten.find(*at_++);
      if (which == std::string_view::npos) return false;
      text += kMeant[which];
    }
  }

  // Past digits; false where there is none.
  bool skip_digits() {
    const char* const begin = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != begin;
  }

  bool read_number(Json& value) {
    const char* const begin = at_;
    const bool negative = take('-');
    if (!take('0') && !skip_digits()) return false;
    const char* const whole = at_;
    if (take('.') && !skip_digits()) return false;
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (!take('+')) take('-');
      if (!skip_digits()) return false;
    }
    if (at_ != whole) return convert<double>(begin, value);
    return negative ? convert<std::int64_t>(begin, value) : convert<std::uint64_t>(begin, value);
  }

  template <typename Number>
  bool convert(const char* begin, Json& value) {
    Number number{};
    const auto [end, error] = std::from_chars(begin, at_, number);
    if (error != std::errc() || end != at_) return false;
    value = number;
    return true;
  }

  const char* at_;
  const char* end_;
};

}  // namespace

nlohmann::json read_json(std::string_view text) {
  Json value;
  if (Reader(text).read(value)) return value;
  return Json::parse(text);
}

PairSample read_sample(std::string_view text) {
  PairSample sample;
  if (Reader(text).read(sample)) return sample;
  return read_json(text).get<PairSample>();
}

PairSample sample_of(const Event& event) {
  if (event.stored_sample.empty()) return event.body.get<PairSample>();
  try {
    return read_sample(event.stored_sample);
  } catch (const Json::exception&) {
    throw Error(
        ErrorKind::kCheckFound,
        fmt::format(
            "run {}, event {}: its body is no sample; the database was edited, "
            "or is damaged: move it away, and committed records are imported into a new one",
            event.run, event.index));
  }
}

}  // namespace assay
