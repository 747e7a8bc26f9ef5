// A record before it has a form: blocks of raw text. What the text came from does not matter here;
// markdown.cpp and terminal.cpp escape it for their reader, in one place each.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay {

struct Span {
  enum class Kind { kText, kStrong, kCode, kLink };
  Kind kind = Kind::kText;
  std::string text;
  std::string target;  // of a link: a path that we made, relative to the document
};

using Line = std::vector<Span>;

inline Span words(std::string text) {
  return {Span::Kind::kText, std::move(text), {}};
}
inline Span strong(std::string text) {
  return {Span::Kind::kStrong, std::move(text), {}};
}
inline Span code(std::string text) {
  return {Span::Kind::kCode, std::move(text), {}};
}
inline Span link(std::string text, std::string target) {
  return {Span::Kind::kLink, std::move(text), std::move(target)};
}

inline Line cell(Span span) {
  Line line;
  line.push_back(std::move(span));
  return line;
}
inline Line cell(std::string text) {
  return cell(words(std::move(text)));
}
inline Line cell(Line line) {
  return line;
}
// A row of a table out of words, spans and lines; what is moved in is not copied.
template <typename... Cells>
std::vector<Line> row_of(Cells&&... cells) {
  std::vector<Line> row;
  row.reserve(sizeof...(cells));
  (row.push_back(cell(std::forward<Cells>(cells))), ...);
  return row;
}

struct Block {
  enum class Kind {
    kComment,    // text: one line that readers do not see
    kHeading,    // level, line
    kParagraph,  // line
    kList,       // rows: one cell each
    kTable,      // rows: header first
    kCode,       // text, language
    kProse,      // text: an author's Markdown; lists, emphasis and code stay, nothing else acts
  };
  Kind kind = Kind::kParagraph;
  int level = 0;
  Line line;
  std::vector<std::vector<Line>> rows;
  std::string text;
  std::string language;
};

class Document {
 public:
  void comment(std::string text);
  void heading(int level, std::string text);
  void paragraph(Line line);
  void paragraph(std::string text) { paragraph(Line{words(std::move(text))}); }
  void list(std::vector<Line> items);               // an empty one leaves nothing
  void table(std::vector<std::vector<Line>> rows);  // header first; a header alone leaves nothing
  void code_block(std::string text, std::string language);
  void prose(std::string text);
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
};

// GitHub's Markdown, ASCII structure, one newline at the end.
std::string to_markdown(const Document& document);
// Plain text; with `color` headings are bold.
std::string to_terminal(const Document& document, bool color);

// Text that shows as itself in the middle of a Markdown line.
std::string markdown_text(const std::string& text);
// The same inside a table's cell, as code.
std::string markdown_code(const std::string& text, bool in_table);

}  // namespace assay
