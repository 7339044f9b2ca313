package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"
)

type luaCase struct {
	Script string         `json:"s"`
	Event  map[string]any `json:"e"`
}

type luaAnswer struct {
	Error string `json:"error,omitempty"`
	// Type is the type of the value that the script leaves on the stack.
	Type string `json:"type,omitempty"`
	// Value is the value as JSON: of a table, what Argo Events makes of it.
	Value string `json:"value,omitempty"`
}

func answerLua(raw json.RawMessage) (any, error) {
	var c luaCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	state := lua.NewState()
	defer state.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("event", tableOf(c.Event))
	if err := state.DoString(c.Script); err != nil {
		return luaAnswer{Error: firstLine(err)}, nil
	}
	value := state.Get(-1)
	answer := luaAnswer{Type: value.Type().String()}
	switch value.Type() {
	case lua.LTTable, lua.LTBool, lua.LTNumber, lua.LTString, lua.LTNil:
		text, err := json.Marshal(plainOf(value))
		if err != nil {
			return luaAnswer{Error: err.Error()}, nil
		}
		answer.Value = string(text)
	}
	return answer, nil
}

// The stack trace of an error is of no interest.
func firstLine(err error) string {
	if failure, ok := err.(*lua.ApiError); ok {
		if failure.Type == lua.ApiErrorSyntax {
			return failure.Object.String()
		}
		if text, isText := failure.Object.(lua.LString); isText {
			return string(text)
		}
		return fmt.Sprintf("(%s)", failure.Object.Type().String())
	}
	return err.Error()
}

// The same conversions as in argo-events, pkg/sensors/dependencies/transform.go, whose functions are private: what JSON
// decodes to becomes a table without nulls and without arrays in arrays.
func tableOf(fields map[string]any) *lua.LTable {
	table := &lua.LTable{}
	for key, field := range fields {
		if list, isList := field.([]any); isList {
			items := &lua.LTable{}
			for _, item := range list {
				if _, isNested := item.([]any); !isNested && item != nil {
					items.Append(valueOf(item))
				}
			}
			table.RawSetString(key, items)
		} else if field != nil {
			table.RawSetString(key, valueOf(field))
		}
	}
	return table
}

func valueOf(plain any) lua.LValue {
	switch value := plain.(type) {
	case float64:
		return lua.LNumber(value)
	case string:
		return lua.LString(value)
	case bool:
		return lua.LBool(value)
	case map[string]any:
		return tableOf(value)
	}
	panic(fmt.Sprintf("no Lua value for %T", plain))
}

func plainOf(value lua.LValue) any {
	switch v := value.(type) {
	case *lua.LNilType:
		return nil
	case lua.LBool:
		return bool(v)
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return float64(v)
	case *lua.LTable:
		return plainTable(v)
	}
	return value
}

func plainTable(table *lua.LTable) any {
	length := table.MaxN()
	isArray := length > 0
	if meta, ok := table.Metatable.(*lua.LTable); ok {
		isArray = isArray || meta.RawGetString("__is_array") == lua.LTrue
	}
	if !isArray {
		fields := map[string]any{}
		table.ForEach(func(key, value lua.LValue) { fields[key.String()] = plainOf(value) })
		return fields
	}
	items := make([]any, 0, length)
	for index := 1; index <= length; index++ {
		items = append(items, plainOf(table.RawGetInt(index)))
	}
	return items
}
