// The file of `assay export`: the text form of a history in one piece.
//
//   a zstd frame to be skipped   "assay-archive 1 sha256:<hex of all that follows>\n"
//   a zstd frame                 canonical JSON {format, version, files: {path: text}}
//
// So `zstd -dc FILE` prints the JSON, and a changed byte anywhere is found before anything is read.
// The same files give the same bytes; no clock, host or name stands in them. Rejected: tar, whose
// plain form ends names at 100 bytes and whose headers hold owners and times.
#pragma once

#include <map>
#include <string>

namespace assay {

// path -> text, as the files lie in a workspace.
using ArchiveFiles = std::map<std::string, std::string>;

std::string pack_archive(const ArchiveFiles& files);
// Error(kUsage) for bytes that are damaged, of another form, or larger than any history; the
// message does not name the archive.
ArchiveFiles unpack_archive(const std::string& bytes);

// Of the packed file; the reader of one refuses a longer file unread.
inline constexpr unsigned long long kLargestArchive = 64ull << 20;  // bytes

}  // namespace assay
