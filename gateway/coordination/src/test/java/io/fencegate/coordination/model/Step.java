/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** One step of a random sequence; {@code toString} tells it to people. */
sealed interface Step {

  /** Calls that are made at once and all awaited; the fault is on the first one's gateway. */
  record Calls(List<Call> calls, WireFault fault) implements Step {
    public Calls {
      calls = List.copyOf(calls);
    }

    @Override
    public String toString() {
      return calls.stream().map(Call::toString).collect(Collectors.joining(" | ")) + fault;
    }
  }

  /**
   * The call's gateway dies, with nothing said, when the fault strikes; another takes its place.
   */
  record Crash(Call call, WireFault fault) implements Step {
    @Override
    public String toString() {
      return "crash during: " + call + fault;
    }
  }

  /** What was kept on the wires arrives. */
  record DeliverLate() implements Step {
    @Override
    public String toString() {
      return "deliver what was kept on the wires";
    }
  }

  /** What was kept on the wires is lost. */
  record DropLate() implements Step {
    @Override
    public String toString() {
      return "drop what was kept on the wires";
    }
  }

  record Pass(int millis) implements Step {
    @Override
    public String toString() {
      return "let " + millis + " ms pass";
    }
  }

  /** Until shortly before the lease may end. */
  record NearEnd(int resource) implements Step {
    @Override
    public String toString() {
      return "let time pass until the lease of r" + resource + " almost ends";
    }
  }

  record PastEnd(int resource) implements Step {
    @Override
    public String toString() {
      return "let time pass until the lease of r" + resource + " has ended";
    }
  }

  record RaiseGeneration() implements Step {
    @Override
    public String toString() {
      return "raise the generation";
    }
  }

  /** Simpler steps that may show the same failure. */
  default List<Step> simpler() {
    List<Step> simpler = new ArrayList<>();
    if (this instanceof Calls step) {
      if (step.calls().size() > 1) {
        step.calls().forEach(call -> simpler.add(new Calls(List.of(call), step.fault())));
      }
      step.fault().simpler().forEach(fault -> simpler.add(new Calls(step.calls(), fault)));
      if (step.calls().size() == 1) {
        step.calls().get(0).simpler().stream()
            .map(call -> new Calls(List.of(call), step.fault()))
            .forEach(simpler::add);
      }
    } else if (this instanceof Crash step) {
      simpler.add(new Calls(List.of(step.call()), step.fault()));
    }
    return simpler;
  }
}
