// `work`: a fixed amount of prefill and decode.
#include "engine/worker/worker.h"

namespace assay {

WorkReply Worker::work(const WorkRequest& request) {
  return loaded("work").session->work(request);
}

}  // namespace assay
