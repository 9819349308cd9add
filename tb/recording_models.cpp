// The models of cavern_rtl_models, each of which writes what it is given and what it answers to
// arbiter-<number>.stream in the folder CAVERN_STREAMS names.
#define make_verilated_model make_plain_model
#include "cosim/rtl_models.cpp" // the table of models, under another name
#undef make_verilated_model

#include <cstdlib>
#include <utility>

#include "tb/recorded_stream.h"

namespace cavern {

std::unique_ptr<VerilatedModelIf> make_verilated_model(std::uint32_t slots, ArbiterPolicy policy,
                                                       std::uint32_t age_limit, std::uint64_t seed);

namespace {

class RecordingModel final : public VerilatedModelIf {
  public:
    RecordingModel(std::unique_ptr<VerilatedModelIf> model, const std::string& path,
                   const StreamShape& shape)
        : model_(std::move(model)), recorder_(path, shape) {}

    void present(const ArbiterInputs& inputs) override { model_->present(inputs); }
    bool rise(const ArbiterInputs& inputs, ArbiterOutputs& outputs) override {
        const bool sound = model_->rise(inputs, outputs);
        recorder_.write({inputs, outputs});
        return sound;
    }
    void fall() override { model_->fall(); }
    std::string take_messages() override { return model_->take_messages(); }
    void open_waves(const std::string& path) override { model_->open_waves(path); }
    void dump(std::uint64_t time) override { model_->dump(time); }

  private:
    std::unique_ptr<VerilatedModelIf> model_;
    StreamRecorder recorder_;
};

} // namespace

std::unique_ptr<VerilatedModelIf> make_verilated_model(std::uint32_t slots, ArbiterPolicy policy,
                                                       std::uint32_t age_limit,
                                                       std::uint64_t seed) {
    static int made = 0;
    const char* folder = std::getenv("CAVERN_STREAMS");
    if (folder == nullptr) {
        throw UserError("<environment>", 0, "CAVERN_STREAMS is not set",
                        "the folder for the recorded streams");
    }
    const std::string path = std::string(folder) + "/arbiter-" + std::to_string(made++) + ".stream";
    return std::make_unique<RecordingModel>(make_plain_model(slots, policy, age_limit, seed), path,
                                            StreamShape{slots, policy, age_limit});
}

} // namespace cavern
