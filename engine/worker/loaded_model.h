// Everything that `load` makes, in the order in which one part looks into another.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engine/backend/backend.h"
#include "engine/generate/session.h"
#include "engine/gguf/file.h"
#include "engine/graph/fuse.h"
#include "engine/graph/graph.h"
#include "engine/model/model.h"
#include "engine/synth/image.h"
#include "engine/tokenizer/tokenizer.h"

namespace assay {

struct LoadedModel {
  SynthImage image;  // the bytes of `file` when the model is synthetic, else none
  GgufFile file;
  Model model;  // views into `file`
  Graph graph;  // points into `model`
  ServiceSelection service;
  std::unique_ptr<Backend> backend;    // refers to `model`
  std::unique_ptr<Session> session;    // refers to `model` and `backend`
  std::optional<Tokenizer> tokenizer;  // nothing when the file has no vocabulary

  LoadedModel(SynthImage bytes, GgufFile gguf, const ServiceSelection& map)
      : image(std::move(bytes)),
        file(std::move(gguf)),
        model(read_model(file)),
        graph(fused(build_graph(model, forms_of(map)), compounds_of(map))),
        service(map) {}
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;
};

}  // namespace assay
