// Building blocks of a document; see document_model.h.
#include "recorder/document_model.h"

#include <utility>

namespace assay {

void Document::comment(std::string text) {
  blocks_.push_back({Block::Kind::kComment, 0, {}, {}, std::move(text), {}});
}

void Document::heading(int level, std::string text) {
  blocks_.push_back({Block::Kind::kHeading, level, {words(std::move(text))}, {}, {}, {}});
}

void Document::paragraph(Line line) {
  blocks_.push_back({Block::Kind::kParagraph, 0, std::move(line), {}, {}, {}});
}

void Document::list(std::vector<Line> items) {
  if (items.empty()) return;
  Block block;
  block.kind = Block::Kind::kList;
  for (Line& item : items) block.rows.push_back({std::move(item)});
  blocks_.push_back(std::move(block));
}

void Document::table(std::vector<std::vector<Line>> rows) {
  if (rows.size() < 2) return;
  blocks_.push_back({Block::Kind::kTable, 0, {}, std::move(rows), {}, {}});
}

void Document::code_block(std::string text, std::string language) {
  blocks_.push_back({Block::Kind::kCode, 0, {}, {}, std::move(text), std::move(language)});
}

void Document::prose(std::string text) {
  blocks_.push_back({Block::Kind::kProse, 0, {}, {}, std::move(text), {}});
}

}  // namespace assay
