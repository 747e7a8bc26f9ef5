// Marks a function that host and GPU share, so that both run one definition and give the same bits.
#pragma once

#ifdef __CUDACC__
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif
