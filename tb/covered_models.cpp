// Models with coverage counters. Each writes them to N<ways>_P<policy>-<number>.dat in the folder
// that CAVERN_COVERAGE names when it is destroyed; verilator_coverage merges the files of a shape.
#include "cosim/verilated_model_of.h"
#include "Vpriority_age_1.h"
#include "Vpriority_age_16.h"
#include "Vpriority_age_2.h"
#include "Vpriority_age_4.h"
#include "Vpriority_age_8.h"
#include "Vround_robin_1.h"
#include "Vround_robin_16.h"
#include "Vround_robin_2.h"
#include "Vround_robin_4.h"
#include "Vround_robin_8.h"
#include "Vweighted_1.h"
#include "Vweighted_16.h"
#include "Vweighted_2.h"
#include "Vweighted_4.h"
#include "Vweighted_8.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <verilated_cov.h>

namespace cavern {
namespace {

constexpr VerilatedModelRow kModels[] = {
    {1, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_1>},
    {2, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_2>},
    {4, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_4>},
    {8, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_8>},
    {16, ArbiterPolicy::kRoundRobin, make_model_of<Vround_robin_16>},
    {1, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_1>},
    {2, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_2>},
    {4, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_4>},
    {8, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_8>},
    {16, ArbiterPolicy::kPriorityAge, make_model_of<Vpriority_age_16>},
    {1, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_1>},
    {2, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_2>},
    {4, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_4>},
    {8, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_8>},
    {16, ArbiterPolicy::kWeightedRoundRobin, make_model_of<Vweighted_16>},
};

class CoveredModel final : public VerilatedModelIf {
  public:
    CoveredModel(std::unique_ptr<VerilatedModelIf> model, std::string path)
        : model_(std::move(model)), path_(std::move(path)) {}
    CoveredModel(const CoveredModel&) = delete;
    CoveredModel& operator=(const CoveredModel&) = delete;
    ~CoveredModel() override {
        if (context_ != nullptr) {
            context_->coveragep()->write(path_.c_str());
        }
    }

    void present(const ArbiterInputs& inputs) override { model_->present(inputs); }
    bool rise(const ArbiterInputs& inputs, ArbiterOutputs& outputs) override {
        const bool sound = model_->rise(inputs, outputs);
        context_ = Verilated::threadContextp(); // rise() made it this model's
        return sound;
    }
    void fall() override { model_->fall(); }
    std::string take_messages() override { return model_->take_messages(); }
    void open_waves(const std::string& path) override { model_->open_waves(path); }
    void dump(std::uint64_t time) override { model_->dump(time); }

  private:
    std::unique_ptr<VerilatedModelIf> model_;
    std::string path_;
    VerilatedContext* context_ = nullptr;
};

} // namespace

std::unique_ptr<VerilatedModelIf> make_verilated_model(std::uint32_t slots, ArbiterPolicy policy,
                                                       std::uint32_t age_limit,
                                                       std::uint64_t seed) {
    static int made = 0;
    const char* folder = std::getenv("CAVERN_COVERAGE");
    if (folder == nullptr) {
        throw UserError("<environment>", 0, "CAVERN_COVERAGE is not set",
                        "the folder for the counters");
    }
    const auto* row = std::find_if(std::begin(kModels), std::end(kModels), [&](const auto& model) {
        return model.ways >= slots && model.policy == policy;
    });
    const std::string shape = "/N" + std::to_string(row == std::end(kModels) ? 0 : row->ways) +
                              "_P" + std::to_string(static_cast<unsigned>(policy)) + "-" +
                              std::to_string(made++) + ".dat";
    return std::make_unique<CoveredModel>(make_from_table(kModels, slots, policy, age_limit, seed),
                                          folder + shape);
}

} // namespace cavern
