#include "experiments/yaml_source.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/core/error.h"
#include "experiments/caret.h"
#include "experiments/yaml_quotes.h"

namespace assay {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::size_t kMaxDepth = 16;

// A fault found while yaml-cpp is parsing, with its place.
struct Fault {
  int line;
  int column;
  std::string message;
};

// Builds the tree. `stack_` holds the open lists and maps; a map's entry whose value has not come
// yet is its last one, with `waits` true.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}
  YamlValue root;
  bool any = false;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (any) fault(mark, "text after the end of the document: a file holds one YAML document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "?", anchor);
    add(at(mark, YamlValue::Kind::kNull));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fault(mark, "aliases (`*name`) are not used here: write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_extras(mark, tag, anchor);
    YamlValue scalar = at(mark, YamlValue::Kind::kText);
    scalar.text = value;
    scalar.quoted = tag == "!";
    const auto offset = static_cast<std::size_t>(mark.pos);  // bytes
    if (scalar.quoted && offset < text_.size() && (text_[offset] == '\'' || text_[offset] == '"') &&
        quote_end(text_, offset) == kNoEnd) {  // yaml-cpp 0.7 takes the end of the file for it
      fault(mark, "this quote is never closed");
    }
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlValue::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlValue::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlValue value;
    bool waits = false;  // a key was read, its value was not
  };

  [[noreturn]] static void fault(const YAML::Mark& mark, const std::string& message) {
    throw Fault{mark.line, mark.column, message};
  }
  static void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      fault(mark, "anchors (`&name`) are not used here: write the value out");
    }
    if (tag != "?" && tag != "!" && !tag.empty()) {
      fault(mark, "tags (`!name`) are not used here: write the value plainly");
    }
  }
  static YamlValue at(const YAML::Mark& mark, YamlValue::Kind kind) {
    YamlValue value;
    value.kind = kind;
    value.line = mark.line;
    value.column = mark.column;
    return value;
  }
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlValue::Kind kind) {
    refuse_extras(mark, tag, anchor);
    if (stack_.size() >= kMaxDepth) {
      fault(mark, fmt::format("nested deeper than {} levels", kMaxDepth));
    }
    if (!stack_.empty() && takes_key()) fault(mark, "a key must be plain text");
    stack_.push_back({at(mark, kind)});
  }
  void close() {
    YamlValue value = std::move(stack_.back().value);
    stack_.pop_back();
    add(std::move(value));
  }
  bool takes_key() const {
    return stack_.back().value.kind == YamlValue::Kind::kMap && !stack_.back().waits;
  }
  void add(YamlValue value) {
    if (stack_.empty()) {
      root = std::move(value);
      any = true;
      return;
    }
    Open& top = stack_.back();
    if (top.value.kind == YamlValue::Kind::kList) {
      top.value.items.push_back(std::move(value));
    } else if (!top.waits) {
      if (value.kind == YamlValue::Kind::kNull)
        throw Fault{value.line, value.column, "a key is missing"};
      top.value.entries.emplace_back(std::move(value), YamlValue{});
      top.waits = true;
    } else {
      auto& [key, slot] = top.value.entries.back();
      if (value.kind == YamlValue::Kind::kNull) {
        value.line = key.line;
        value.column = key.column;
      }
      slot = std::move(value);
      top.waits = false;
    }
  }

  std::string_view text_;
  std::vector<Open> stack_;
};

// The offset of the first byte that is not part of well-formed UTF-8; npos when there is none.
std::size_t bad_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || i + size > text.size()) return i;
    for (std::size_t j = 1; j < size; ++j) {
      const auto byte = static_cast<unsigned char>(text[i + j]);
      unsigned low = 0x80;
      unsigned high = 0xbf;
      if (j == 1 && lead == 0xe0) low = 0xa0;   // no overlong forms
      if (j == 1 && lead == 0xed) high = 0x9f;  // no surrogates
      if (j == 1 && lead == 0xf0) low = 0x90;
      if (j == 1 && lead == 0xf4) high = 0x8f;  // nothing beyond U+10FFFF
      if (byte < low || byte > high) return i;
    }
    i += size;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view kind_name(YamlValue::Kind kind) {
  switch (kind) {
    case YamlValue::Kind::kNull:
      return "nothing";
    case YamlValue::Kind::kText:
      return "text";
    case YamlValue::Kind::kList:
      return "a list";
    case YamlValue::Kind::kMap:
      return "a map";
  }
  return "nothing";
}

YamlSource::YamlSource(std::string text, std::string file_name)
    : text_(std::move(text)), file_name_(std::move(file_name)) {
  const auto refuse = [&](int line, int column, std::string_view message) {
    throw Error(ErrorKind::kUsage, caret_message(file_name_, text_, line, column, message));
  };
  check_text();
  try {
    std::istringstream stream(text_);
    YAML::Parser parser(stream);
    TreeBuilder builder(text_);
    while (parser.HandleNextDocument(builder)) {
    }
    if (!builder.any) refuse(0, 0, "the file holds nothing but comments");
    root_ = std::move(builder.root);
  } catch (const Fault& fault) {
    refuse(fault.line, fault.column, fault.message);
  } catch (const YAML::Exception& exception) {
    refuse_open_quote();
    // What a variant's id without quotes leads to, inside braces.
    const bool in_flow = exception.msg.find("map flow not found") != std::string::npos;
    refuse(std::max(exception.mark.line, 0), std::max(exception.mark.column, 0),
           fmt::format("not YAML: {}{}", exception.msg,
                       in_flow ? " (text that has brackets, braces or commas needs quotes)" : ""));
  }
}

void YamlSource::refuse_byte(std::size_t offset, std::string_view message) const {
  const std::string_view before = std::string_view(text_).substr(0, offset);
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  throw Error(ErrorKind::kUsage,
              caret_message(file_name_, text_, line, static_cast<int>(offset - begin), message));
}

// Instead of the parser's complaint, where a quote without its end explains it.
void YamlSource::refuse_open_quote() const {
  const std::optional<OpenQuote> quote = open_quote(text_);
  if (!quote) return;
  refuse_byte(quote->offset, quote->closed ? "this quote is not closed before the next one opens"
                                           : "this quote is never closed");
}

void YamlSource::check_text() const {
  const auto refuse = [&](std::size_t offset, std::string_view message) {
    refuse_byte(offset, message);
  };
  if (text_.empty()) refuse(0, "the file is empty");
  if (text_.size() > kMaxBytes) {
    refuse(0, "the file is larger than 1 MB, which no file of this kind is");
  }
  if (text_.rfind("\xef\xbb\xbf", 0) == 0) {
    refuse(0, "the file starts with a byte order mark: save it as UTF-8 without one");
  }
  const std::size_t bad = bad_utf8(text_);
  if (bad != std::string::npos) {
    refuse(bad, fmt::format("byte 0x{:02x} is not UTF-8: save the file as UTF-8",
                            static_cast<unsigned char>(text_[bad])));
  }
  bool indentation = true;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text_[i]);
    if (byte == '\t' && indentation) refuse(i, "a tab in the indentation: YAML wants spaces there");
    const bool line_end = byte == '\n' || (byte == '\r' && text_[i + 1] == '\n');
    if ((byte < 0x20 && byte != '\t' && !line_end) || byte == 0x7f) {
      refuse(i, fmt::format("control character 0x{:02x}: this is not a text file", byte));
    }
    indentation = byte == '\n' || (indentation && byte == ' ');
  }
}

void YamlSource::fail(const YamlValue& at, std::string_view message) const {
  throw Error(ErrorKind::kUsage, caret_message(file_name_, text_, at.line, at.column, message));
}

std::string read_yaml_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw Error(ErrorKind::kUsage, path + ": is not a regular file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::kUsage, "cannot read " + path + ": check the path");
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw Error(ErrorKind::kUsage, "reading " + path + " failed half way");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace assay
