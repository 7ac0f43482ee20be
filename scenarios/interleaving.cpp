#include "scenarios/interleaving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "scenarios/printable.hpp"
#include "scenarios/story.hpp"

namespace leaseproof::scenarios {

namespace {

std::string_view lane_word(Lane::Kind kind) {
  switch (kind) {
    case Lane::Kind::worker:
      return "worker";
    case Lane::Kind::host:
      return "host";
    case Lane::Kind::operator_:
      return "operator";
    case Lane::Kind::clock:
      return "clock";
    case Lane::Kind::service:
      return "service";
  }
  return "";
}

// That time passed or a process is gone needs no answer.
std::string answer_of(const Happening& happening) {
  const auto& action = happening.step.action;
  const bool plain = std::holds_alternative<model::Advance>(action) ||
                     std::holds_alternative<model::Forget>(action);
  if (plain && happening.outcome.word == model::Word::ok) return {};
  return told(happening.outcome);
}

Json fault_of(const Happening& happening) {
  if (!happening.step.fault) return nullptr;
  const properties::StepFault& planned = *happening.step.fault;
  return {{"at", faults::point_names[planned.plan.point]},
          {"kind", faults::word(planned.plan.kind)},
          {"told", told_fault(planned)},
          {"fired", happening.fired}};
}

class Picture {
 public:
  explicit Picture(const Course& course) : course_(course) {}

  void frame(const Frame& frame, const std::string& path, bool broken) {
    // The last word on what stands has the engine, where it still can be asked.
    const bool asked = !frame.engine.ops.empty() || frame.top.leases.empty();
    if (asked) in_the_end_ = leases_in(frame.engine);
    happening(frame.top, path, 0, broken);
    in_the_end_.reset();
    // A call on its own is shown with what the engine did, not with what it should have done.
    Json& changed = moments_.back()["changed"];
    if (!frame.top.stood_still()) {
      changed = frame.changed;
    } else {
      for (const std::string& line : frame.beyond_the_model) {
        changed.push_back("but the engine: " + line);
      }
    }
  }

  Json take() {
    Json lanes = Json::array();
    for (const Lane& lane : course_.lanes) {
      lanes.push_back({{"kind", lane_word(lane.kind)}, {"name", lane.name}});
    }
    return {{"lanes", std::move(lanes)},
            {"moments", std::move(moments_)},
            {"leases", std::move(leases_)}};
  }

 private:
  [[nodiscard]] std::size_t lane_index(const Lane& lane) const {
    const auto found = std::find(course_.lanes.begin(), course_.lanes.end(), lane);
    return static_cast<std::size_t>(found - course_.lanes.begin());
  }

  void happening(const Happening& happening, const std::string& path, std::size_t depth,
                 bool broken) {
    if (!happening.stood_still()) {
      moment(happening, path, depth, "call", true, broken);
      return;
    }
    const bool acted = has_acted_at(happening.step.fault->plan.point);
    moment(happening, path, depth, "begins", acted, broken);
    std::size_t number = 0;
    for (const Happening& inner : happening.inner) {
      this->happening(inner, fmt::format("{}.{}", path, ++number), depth + 1, false);
    }
    moment(happening, path, depth, "goes_on", !acted, broken);
  }

  void moment(const Happening& happening, const std::string& path, std::size_t depth,
              std::string_view phase, bool acts, bool broken) {
    const bool answered = phase != "begins";
    Json one{{"path", path},
             {"depth", depth},
             {"phase", phase},
             {"acts", acts},
             {"lane", lane_index(happening.lane)},
             {"at_us", happening.common_us},
             {"at", told_time(happening.common_us)},
             {"says", told(happening.step, course_.config)},
             {"answer", answered ? answer_of(happening) : std::string()},
             {"why", answered ? happening.why : std::string()},
             {"changed", acts ? Json(happening.changed) : Json::array()},
             {"at_service", acts && is_at_service(happening.step.action)},
             {"crashed", answered && happening.outcome.word == model::Word::crashed},
             {"broken", broken},
             {"beside", nullptr},
             {"fault", fault_of(happening)}};
    if (answered && happening.expected) {
      one["beside"] = told(*happening.expected) +
                      (happening.expected_why.empty() ? "" : ", because " + happening.expected_why);
    }
    moments_.push_back(std::move(one));
    if (depth == 0 && answered && in_the_end_) {
      stand(*in_the_end_, happening.lane);
    } else if (acts) {
      stand(happening.leases, happening.lane);
    }
  }

  // Which leases stand as of the newest moment, in which `lane` acted.
  void stand(const std::map<std::string, model::LeaseView>& standing, const Lane& lane) {
    const std::size_t now = moments_.size() - 1;
    for (auto at = open_.begin(); at != open_.end();) {
      Json& lease = leases_[at->second];
      const auto found = standing.find(at->first);
      if (found != standing.end() && found->second.generation == lease["generation"]) {
        const std::int64_t expires_us = found->second.expires_us;
        if (lease["expires"].back()["at_us"] != expires_us) extend(lease, now, expires_us);
        ++at;
        continue;
      }
      lease["to"] = now;
      at = open_.erase(at);
    }
    for (const auto& [op, view] : standing) {
      if (open_.contains(op)) continue;
      open_.emplace(op, leases_.size());
      Json lease{{"op", printable(op)},
                 {"owner", printable(view.owner)},
                 {"lane", lane_index(lane)},
                 {"generation", view.generation},
                 {"from", now},
                 {"to", nullptr},
                 {"expires", Json::array()}};
      extend(lease, now, view.expires_us);
      leases_.push_back(std::move(lease));
    }
  }

  static void extend(Json& lease, std::size_t now, std::int64_t expires_us) {
    lease["expires"].push_back(
        {{"from", now}, {"at_us", expires_us}, {"at", told_time(expires_us)}});
  }

  const Course& course_;
  std::optional<std::map<std::string, model::LeaseView>> in_the_end_;  // of the frame
  Json moments_ = Json::array();
  Json leases_ = Json::array();
  std::map<std::string, std::size_t> open_;  // op: its lease, by index
};

}  // namespace

Json interleaving_json(const Course& course, std::size_t broken) {
  Picture picture(course);
  for (std::size_t i = 0; i < course.frames.size(); ++i) {
    const Frame& frame = course.frames[i];
    picture.frame(frame, frame.name.empty() ? std::to_string(i + 1) : frame.name, i == broken);
  }
  const std::size_t count = course.fair.size();
  for (std::size_t i = first_fair_step_shown(course); i < count; ++i) {
    picture.frame(course.fair[i], fmt::format("+{}", i + 1), i + 1 == count);
  }
  return picture.take();
}

}  // namespace leaseproof::scenarios
