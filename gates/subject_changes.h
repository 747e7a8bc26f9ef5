// What the changed ops of a subject mean for its gates, and what an attempt keeps of them.
#pragma once

#include <map>
#include <string>

#include "experiments/op_facts.h"
#include "gates/subject.h"

namespace assay {

// Of all changed ops together, incumbent and candidate.
OpFacts facts_of(const Subject& subject);

// The attempt as history keeps it. `blobs` receives the text of every source file by its SHA-256.
AttemptOpened attempt_of(const Subject& subject, std::map<std::string, std::string>& blobs);

}  // namespace assay
