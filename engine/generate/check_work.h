// Whether a work request can be done at all: checked before anything runs, for work and plan alike.
#pragma once

#include "engine/protocol/messages.h"

namespace assay {

// Error(kUsage) names the field, its value and the limit. `max_rows`: of a prefill pass.
void check_work(const WorkRequest& request, int vocab, int context, int max_rows);

}  // namespace assay
