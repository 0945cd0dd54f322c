#include "tools/repro/runtime_code.h"

namespace onnxcmp {
namespace {

constexpr char kOnnxruntime[] =
    R"py(    levels = {"none": "DISABLE_ALL", "basic": "ENABLE_BASIC", "extended": "ENABLE_EXTENDED",
              "layout": "ENABLE_LAYOUT", "all": "ENABLE_ALL"}
    level = levels[OPTIONS.get("optimization", "all")]
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, "ORT_" + level)
    settings.intra_op_num_threads = int(OPTIONS.get("threads", "0"))
    for library in filter(None, OPTIONS.get("custom_ops", "").split("+")):
        settings.register_custom_ops_library(library)
    for key, value in OPTIONS.items():
        if key.startswith("session."):
            settings.add_session_config_entry(key, value)
    wanted = [p.lower().removesuffix("executionprovider") for p in OPTIONS.get("provider", "CPU").split("+")]
    providers = [p for name in wanted for p in onnxruntime.get_available_providers()
                 if p.lower() == name + "executionprovider"]
    disabled = list(filter(None, OPTIONS.get("disable", "").split("+")))
    session = onnxruntime.InferenceSession(
        path, settings, providers=providers, disabled_optimizers=disabled or None)
    known = {i.name for i in session.get_inputs()}
    return session.run(None, {name: value for name, value in feeds.items() if name in known})[0]
)py";

constexpr char kOpenvino[] = R"py(    settings = {}
    if OPTIONS.get("precision", "f32") != "default":
        settings["INFERENCE_PRECISION_HINT"] = OPTIONS.get("precision", "f32")
    if int(OPTIONS.get("threads", "0")):
        settings["INFERENCE_NUM_THREADS"] = int(OPTIONS["threads"])
    model = openvino.Core().compile_model(path, OPTIONS.get("device", "CPU"), settings)
    given = {port: feeds[name] for port in model.inputs for name in port.get_names() if name in feeds}
    return model(given)[model.outputs[0]]
)py";

constexpr char kTract[] =
    R"py(    facts = {"float16": "f16", "float32": "f32", "float64": "f64", "bool": "bool"}
    model = tract.onnx().load(path)
    names = [model.input_name(i) for i in range(model.input_count())]
    for i, name in enumerate(names):
        if OPTIONS.get("shapes", "fed") == "fed":
            kind = feeds[name].dtype.name
            kind = facts.get(kind) or kind.replace("uint", "u").replace("int", "i")
            model.set_input_fact(i, ",".join([*map(str, feeds[name].shape), kind]))
    runnable = model.into_model().into_runnable()
    return runnable.run([feeds[name] for name in names])[0].to_numpy()
)py";

constexpr char kReference[] = R"py(    session = onnx.reference.ReferenceEvaluator(path)
    known = set(session.input_names)
    return session.run(None, {name: value for name, value in feeds.items() if name in known})[0]
)py";

}  // namespace

std::optional<RuntimeCode> RuntimeCodeOf(const RuntimeSpec& spec) {
  if (spec.name == "onnxruntime") {
    return RuntimeCode{"onnxruntime", "import onnxruntime", "onnxruntime.__version__",
                       kOnnxruntime};
  }
  if (spec.name == "openvino") {
    return RuntimeCode{"openvino", "import openvino", "openvino.__version__", kOpenvino};
  }
  if (spec.name == "tract") {
    return RuntimeCode{"tract", "import importlib.metadata\n\nimport tract",
                       "importlib.metadata.version('tract')", kTract};
  }
  if (spec.name == "reference") {
    return RuntimeCode{"onnx", "import onnx\nimport onnx.reference", "onnx.__version__",
                       kReference};
  }
  return std::nullopt;
}

}  // namespace onnxcmp
