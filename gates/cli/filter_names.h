// The values of `assay query`'s filters, judged before they are used: a mistyped lever would
// otherwise read as "never tried".
#pragma once

#include "recorder/catalog.h"

namespace assay {

// What can be judged without history: a verdict, a state, a date. Error(kUsage) with the nearest
// name.
void check_fixed_filters(const QueryFilter& filter);

// Names of levers, ops, variants, gates, models and GPUs. A name is known when the kernels have it
// or an entry of the catalog does. Error(kUsage) with the nearest name.
void check_filter_names(const QueryFilter& filter, const Catalog& catalog);

}  // namespace assay
