#include "evaluator/load/load_model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/stack_room.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/expansion.h"
#include "evaluator/load/function_table.h"
#include "evaluator/load/inline_functions.h"
#include "evaluator/load/model_builder.h"
#include "evaluator/load/normalize_model.h"
#include "evaluator/load/onnx_library.h"
#include "evaluator/load/read_model.h"
#include "evaluator/load/sort_nodes.h"
#include "evaluator/load/unknown_fields.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/tensor/shared_weights.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// A message that is normalised and sorted, with its functions inlined or kept.
struct Prepared {
  OpsetImports imports;
  FunctionTable functions;
  Origins origins;
};

// Operator sets that only functions import, and Identity's, for those who read the inlined message.
void AddImports(const Prepared& prepared, int64_t identity_opset, onnx::ModelProto* model) {
  OpsetImports missing = {{std::string(kOnnxDomain), identity_opset}};
  for (const auto& [node, origin] : prepared.origins) {
    for (const auto& [domain, version] : *origin->imports) {
      missing[domain] = std::max(missing[domain], version);
    }
  }
  for (const auto& [domain, version] : missing) {
    if (prepared.imports.contains(domain)) continue;
    auto* import = model->add_opset_import();
    import->set_domain(domain);
    import->set_version(version);
  }
}

absl::StatusOr<Prepared> Prepare(const OpRegistry& registry, const LoadOptions& options,
                                 onnx::ModelProto* model) {
  Prepared prepared;
  OC_RETURN_IF_ERROR(NormalizeModel(model));
  OC_ASSIGN_OR_RETURN(prepared.imports, ImportsOf(*model));
  OC_RETURN_IF_ERROR(SortNodes(model->mutable_graph()));
  OC_ASSIGN_OR_RETURN(prepared.functions, FunctionTable::Build(model, prepared.imports, options));
  if (options.functions == Functions::kKeep) return prepared;
  if (prepared.functions.has_calls()) {
    int64_t identity_opset = registry.LatestVersion(kOnnxDomain);
    OC_RETURN_IF_ERROR(InlineFunctions(model, prepared.functions, registry, options,
                                       std::make_shared<const OpsetImports>(prepared.imports),
                                       identity_opset, &prepared.origins));
    AddImports(prepared, identity_opset, model);
  }
  model->clear_functions();
  return prepared;
}

// ONNX's checker has one version of each operator set; with functions that import another, it would
// find what is not there.
bool SameImports(const Prepared& prepared) {
  for (const auto& [node, origin] : prepared.origins) {
    for (const auto& [domain, version] : *origin->imports) {
      auto import = prepared.imports.find(domain);
      if (import == prepared.imports.end() || import->second != version) return false;
    }
  }
  return true;
}

std::string NewerIrVersion(const onnx::ModelProto& proto) {
  return absl::StrCat("IR version ", proto.ir_version(), " is newer than ",
                      static_cast<int>(onnx::IR_VERSION), ", the newest that is known");
}

// A newer IR version than is known is a note, since most models use nothing that it adds; what it
// adds must not be passed over.
absl::Status CheckIrVersion(const onnx::ModelProto& proto) {
  if (proto.ir_version() <= onnx::IR_VERSION) return absl::OkStatus();
  const std::optional<std::string> field = UnknownField(proto);
  if (!field.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(NewerIrVersion(proto), ", and the model uses what it adds (", *field,
                   "): update onnxcmp, or write the model with an older version of ONNX"));
}

absl::StatusOr<std::shared_ptr<Model>> Build(const std::shared_ptr<onnx::ModelProto>& proto,
                                             const OpRegistry& registry, const LoadOptions& options,
                                             ExternalData* external) {
  OC_RETURN_IF_ERROR(CheckIrVersion(*proto));
  OC_ASSIGN_OR_RETURN(Prepared prepared, Prepare(registry, options, proto.get()));
  const bool keep = options.functions == Functions::kKeep;
  auto model = std::make_shared<Model>();
  ModelBuilder builder(proto, registry, prepared.origins, keep ? &prepared.functions : nullptr,
                       external);
  OC_RETURN_IF_ERROR(builder.Build(prepared.imports, model.get()));
  OC_RETURN_IF_ERROR(ExpandNodes(registry, options.max_nodes, model.get()));
  if (proto->ir_version() > onnx::IR_VERSION) model->notes.push_back(NewerIrVersion(*proto));
  if (!(keep && prepared.functions.has_calls()) && SameImports(prepared)) {
    std::string finding = CheckWithOnnx(proto.get(), prepared.imports, registry);
    if (!finding.empty()) {
      model->notes.push_back(absl::StrCat("ONNX's checker: ", finding));
    }
  }
  return model;
}

// The options, with a depth that the stack has room for.
LoadOptions OnThisStack(const LoadOptions& options) {
  LoadOptions fitting = options;
  fitting.max_depth = NestingThatFits(options.max_depth);
  return fitting;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Model>> LoadModel(const std::string& path,
                                                       const OpRegistry& registry,
                                                       const LoadOptions& asked) {
  const LoadOptions options = OnThisStack(asked);
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> mapped, options.weights != nullptr
                                                                    ? options.weights->Open(path)
                                                                    : MappedFile::Open(path));
  OC_ASSIGN_OR_RETURN(ModelInFile file, ReadModelInPlace(std::move(mapped), asked.max_depth));
  ExternalData external = ExternalData::OfModel(path, options.follow_links, options.weights);
  external.SetCut(std::move(file.file), std::move(file.weights));
  absl::StatusOr<std::shared_ptr<Model>> model = Build(file.proto, registry, options, &external);
  if (!model.ok()) return Annotate(model.status(), OneLine(path));
  (*model)->path = path;
  return *std::move(model);
}

absl::StatusOr<std::shared_ptr<const Model>> LoadModelFromBytes(absl::string_view bytes,
                                                                const OpRegistry& registry,
                                                                const LoadOptions& asked,
                                                                const std::string& base_dir) {
  const LoadOptions options = OnThisStack(asked);
  OC_ASSIGN_OR_RETURN(std::shared_ptr<onnx::ModelProto> proto,
                      ReadModelBytes(bytes, asked.max_depth));
  ExternalData external(base_dir, options.follow_links);
  OC_ASSIGN_OR_RETURN(std::shared_ptr<Model> model, Build(proto, registry, options, &external));
  return model;
}

absl::StatusOr<std::shared_ptr<const Model>> LoadModelFromText(absl::string_view text,
                                                               const OpRegistry& registry,
                                                               const LoadOptions& asked) {
  const LoadOptions options = OnThisStack(asked);
  OC_ASSIGN_OR_RETURN(std::shared_ptr<onnx::ModelProto> proto,
                      ReadModelText(text, asked.max_depth));
  ExternalData external("");
  OC_ASSIGN_OR_RETURN(std::shared_ptr<Model> model, Build(proto, registry, options, &external));
  return model;
}

absl::StatusOr<std::shared_ptr<onnx::ModelProto>> LoadModelProto(const std::string& path,
                                                                 const OpRegistry& registry,
                                                                 const LoadOptions& asked) {
  const LoadOptions options = OnThisStack(asked);
  OC_ASSIGN_OR_RETURN(std::shared_ptr<onnx::ModelProto> proto,
                      ReadModelFile(path, asked.max_depth));
  absl::StatusOr<Prepared> prepared = Prepare(registry, options, proto.get());
  if (!prepared.ok()) return Annotate(prepared.status(), OneLine(path));
  return proto;
}

}  // namespace onnxcmp
