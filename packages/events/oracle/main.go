// The oracle answers test cases with Argo Events' own filters and parameters, so that the answers of @tiphys/events can be
// compared with them. It reads one JSON case a line and prints one JSON answer a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/argoproj/argo-events/pkg/apis/events/v1alpha1"
	"github.com/argoproj/argo-events/pkg/sensors/dependencies"
	"github.com/argoproj/argo-events/pkg/sensors/triggers"
	"github.com/argoproj/argo-events/pkg/shared/expr"
)

type event struct {
	Context *v1alpha1.EventContext `json:"context"`
	Data    string                 `json:"data"`
}

func (e event) upstream() *v1alpha1.Event {
	return &v1alpha1.Event{Context: e.Context, Data: []byte(e.Data)}
}

type question struct {
	Filter     *v1alpha1.EventDependencyFilter `json:"filter"`
	Operator   v1alpha1.LogicalOperator        `json:"operator"`
	Event      event                           `json:"event"`
	Parameters []v1alpha1.TriggerParameter     `json:"parameters"`
	Events     map[string]event                `json:"events"`
	// Where the parameters are set; a payload is made of them without it.
	JSON *string `json:"json"`
	// The filter of an event source, and the payload it is about.
	Expression *string `json:"expression"`
	Data       string  `json:"data"`
}

type answer struct {
	Passed *bool   `json:"passed,omitempty"`
	JSON   *string `json:"json,omitempty"`
	Error  string  `json:"error,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 64<<20)
	// Upstream prints as it goes; answers have a stream of their own.
	out := bufio.NewWriter(os.NewFile(3, "answers"))
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		var asked question
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			fmt.Fprintf(os.Stderr, "case %s: %v\n", in.Text(), err)
			os.Exit(1)
		}
		if err := encoder.Encode(reply(asked)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func reply(asked question) (result answer) {
	defer func() {
		if problem := recover(); problem != nil {
			result = answer{Error: fmt.Sprintf("panic: %v", problem)}
		}
	}()
	if asked.Filter != nil {
		passed, err := dependencies.Filter(asked.Event.upstream(), asked.Filter, asked.Operator)
		return answer{Passed: &passed, Error: text(err)}
	}
	if asked.Expression != nil {
		passed, err := filterEvent([]byte(asked.Data), *asked.Expression)
		return answer{Passed: &passed, Error: text(err)}
	}
	events := map[string]*v1alpha1.Event{}
	for name, one := range asked.Events {
		events[name] = one.upstream()
	}
	var made []byte
	var err error
	if asked.JSON != nil {
		made, err = triggers.ApplyParams([]byte(*asked.JSON), asked.Parameters, events)
	} else {
		made, err = triggers.ConstructPayload(events, asked.Parameters)
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	if made == nil {
		return answer{}
	}
	written := string(made)
	return answer{JSON: &written}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// What an event source does with its filter, which it keeps to itself.
func filterEvent(data []byte, expression string) (bool, error) {
	payload := map[string]any{}
	if err := json.Unmarshal(data, &payload); err != nil {
		return false, fmt.Errorf("failed to unmarshal data, %w", err)
	}
	names := map[string]any{}
	for name, value := range payload {
		names[strings.ReplaceAll(name, "-", "_")] = value
	}
	return expr.EvalBool(expression, expr.GetFuncMap(names))
}
