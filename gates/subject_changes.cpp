#include "gates/subject_changes.h"

#include <vector>

namespace assay {

OpFacts facts_of(const Subject& subject) {
  OpFacts facts;
  for (const OpChange& change : subject.changes) {
    const OpFacts one =
        op_facts(change.op, std::vector<std::string>{change.incumbent, change.candidate});
    facts.prefill = facts.prefill || one.prefill;
    facts.decode = facts.decode || one.decode;
    facts.edges.insert(facts.edges.end(), one.edges.begin(), one.edges.end());
  }
  return facts;
}

AttemptOpened attempt_of(const Subject& subject, std::map<std::string, std::string>& blobs) {
  AttemptOpened attempt;
  attempt.fingerprint = subject.fingerprint;
  attempt.alpha_key = subject.alpha_key;
  for (const OpChange& change : subject.changes) {
    attempt.candidate[change.op] = change.candidate;
    attempt.code_hashes[change.candidate] = change.candidate_hash;
    attempt.code_hashes[change.incumbent] = change.incumbent_hash;
    for (const std::string& id : {change.candidate, change.incumbent}) {
      for (const std::string& path : subject.manifest.find(id)->files) {
        const ManifestFile& file = subject.manifest.files.at(path);
        attempt.sources[path] = file.sha256;
        blobs[file.sha256] = file_content(file);
      }
    }
  }
  return attempt;
}

}  // namespace assay
