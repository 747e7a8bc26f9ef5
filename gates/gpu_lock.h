// One measurement at a time on a GPU, whatever workspace it belongs to.
#pragma once

#include <memory>
#include <string>

#include "engine/core/lock_file.h"
#include "engine/protocol/messages.h"

namespace assay {

// Held while something is timed on the device: null on a CPU, or for a GPU without an id.
// Error(kEnvironment) that names the process when another command of this program measures on the
// same GPU. The file lies in `folder`, which every user of the machine shares; it is not removed,
// since a lock on a removed file would exclude nobody.
std::unique_ptr<LockFile> lock_gpu(const HelloReply& device, const std::string& folder = "/tmp");

}  // namespace assay
