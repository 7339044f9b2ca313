package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/Masterminds/sprig/v3"
	oldexpr "github.com/antonmedv/expr"
	oldbuiltin "github.com/antonmedv/expr/builtin"
	"github.com/evilmonkeyinc/jsonpath"
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/builtin"
)

type exprCase struct {
	Dialect     string          `json:"d"`
	Expression  string          `json:"e"`
	Environment json.RawMessage `json:"env"`
}

type exprAnswer struct {
	Value   string `json:"v,omitempty"`
	Compile string `json:"compile,omitempty"`
	Run     string `json:"run,omitempty"`
}

func answerExpr(raw json.RawMessage) (any, error) {
	var c exprCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	var decoded any
	if err := json.Unmarshal(c.Environment, &decoded); err != nil {
		return nil, err
	}
	env, _ := typedExpr(decoded).(map[string]any)
	addFunctions(env, c.Dialect)
	if c.Dialect == "1.15" {
		program, err := oldexpr.Compile(c.Expression)
		if err != nil {
			return exprAnswer{Compile: err.Error()}, nil
		}
		value, err := oldexpr.Run(program, env)
		return exprResult(value, err), nil
	}
	program, err := expr.Compile(c.Expression, expr.Env(env))
	if err != nil {
		return exprAnswer{Compile: err.Error()}, nil
	}
	value, err := expr.Run(program, env)
	return exprResult(value, err), nil
}

func exprResult(value any, err error) exprAnswer {
	if err != nil {
		return exprAnswer{Run: err.Error()}
	}
	return exprAnswer{Value: renderExpr(reflect.ValueOf(value))}
}

// Numbers are float64, as JSON has them; {"$int": "5"} is an int.
func typedExpr(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = typedExpr(v[i])
		}
	case map[string]any:
		if text, ok := v["$int"].(string); ok {
			number, _ := strconv.Atoi(text)
			return number
		}
		for key := range v {
			v[key] = typedExpr(v[key])
		}
	}
	return value
}

// The functions that Argo adds, and some that show how functions are called.
func addFunctions(env map[string]any, dialect string) {
	if env == nil {
		return
	}
	env["asInt"] = builtin.Int
	env["asFloat"] = builtin.Float
	if dialect == "1.15" {
		env["asInt"] = oldbuiltin.Int
		env["asFloat"] = oldbuiltin.Float
	}
	env["toJson"] = func(v any) string {
		output, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(output)
	}
	env["jsonpath"] = func(text string, path string) any {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			panic(err)
		}
		found, err := jsonpath.Query(path, value)
		if err != nil {
			panic(err)
		}
		return found
	}
	functions := sprig.GenericFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	env["sprig"] = functions
	env["shout"] = func(s string) string { return strings.ToUpper(s) + "!" }
	env["half"] = func(f float64) float64 { return f / 2 }
	env["pick"] = func(list []any, name string) any { return name + strconv.Itoa(len(list)) }
	env["many"] = func(values ...any) any { return len(values) }
	env["broken"] = func(s string) (any, error) { return nil, errors.New("broken: " + s) }
	env["lib"] = map[string]any{
		"double": func(n int) int { return 2 * n },
		"greet":  func(s string) string { return "hello " + s },
		"keep":   func(v any) any { return v },
		"rest":   func(s string, rest ...string) string { return s + strings.Join(rest, "") },
	}
}

func renderExpr(v reflect.Value) string {
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return "nil"
	}
	switch value := v.Interface().(type) {
	case time.Time:
		return "time.Time(" + value.Format(time.RFC3339Nano) + ")"
	case *time.Location:
		return "*time.Location(" + value.String() + ")"
	case time.Duration:
		return "time.Duration(" + value.String() + ")"
	}
	name := v.Type().String()
	switch v.Kind() {
	case reflect.String:
		text, _ := json.Marshal(v.String())
		return string(text)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Float64, reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'e', -1, 64)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return name + "(nil)"
		}
		items := make([]string, v.Len())
		for i := range items {
			items[i] = renderExpr(v.Index(i))
		}
		return name + "{" + strings.Join(items, ", ") + "}"
	case reflect.Map:
		entries := []string{}
		for _, key := range v.MapKeys() {
			entries = append(entries, renderExpr(key)+": "+renderExpr(v.MapIndex(key)))
		}
		sort.Strings(entries)
		return name + "{" + strings.Join(entries, ", ") + "}"
	case reflect.Func:
		return "func"
	}
	return fmt.Sprintf("%s(%d)", name, v.Interface())
}
