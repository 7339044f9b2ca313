package main

import (
	"encoding/json"
	"math"

	"github.com/Knetic/govaluate"
)

type govaluateCase struct {
	Expression string         `json:"e"`
	Parameters map[string]any `json:"p,omitempty"`
}

type govaluateAnswer struct {
	Error   string   `json:"error,omitempty"`
	Parse   bool     `json:"parse,omitempty"`
	Value   any      `json:"v"`
	Special string   `json:"special,omitempty"`
	Vars    []string `json:"vars,omitempty"`
}

func answerGovaluate(raw json.RawMessage) (any, error) {
	var c govaluateCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	expression, err := govaluate.NewEvaluableExpression(c.Expression)
	if err != nil {
		return govaluateAnswer{Error: err.Error(), Parse: true}, nil
	}
	value, err := expression.Evaluate(c.Parameters)
	if err != nil {
		return govaluateAnswer{Error: err.Error(), Vars: expression.Vars()}, nil
	}
	answer := govaluateAnswer{Value: value, Vars: expression.Vars()}
	if number, ok := value.(float64); ok && (math.IsNaN(number) || math.IsInf(number, 0)) {
		answer.Value = nil
		answer.Special = map[bool]string{true: "NaN", false: map[bool]string{true: "Infinity", false: "-Infinity"}[number > 0]}[math.IsNaN(number)]
	}
	if _, err := json.Marshal(answer); err != nil {
		answer.Value = nil
		answer.Special = "unprintable"
	}
	return answer, nil
}
