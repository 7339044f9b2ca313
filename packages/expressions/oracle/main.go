// The oracle answers test cases with the code that a Kubernetes API server runs, so that the answers of
// @tiphys/expressions can be compared with them. It reads one JSON case a line and prints one JSON answer a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type answerer func(raw json.RawMessage) (any, error)

func main() {
	answerers := map[string]answerer{
		"cel":       answerCel,
		"cron":      answerCron,
		"duration":  answerDuration,
		"expr":      answerExpr,
		"gjson":     answerGjson,
		"jq":        answerJq,
		"govaluate": answerGovaluate,
		"jsonpath":  answerJSONPath,
		"lua":       answerLua,
		"quantity":  answerQuantity,
		"regex":     answerRegex,
		"sjson":     answerSjson,
		"sprig":     answerTemplate,
		"template":  answerTemplate,
		"time":      answerTime,
	}
	if len(os.Args) != 2 || answerers[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: oracle LANGUAGE < cases.jsonl")
		os.Exit(2)
	}
	answer := answerers[os.Args[1]]
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		result, err := answerOrPanic(answer, in.Bytes())
		if err != nil {
			fmt.Fprintf(os.Stderr, "case %s: %v\n", in.Text(), err)
			os.Exit(1)
		}
		if err := encoder.Encode(result); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A few cases make the Go code itself panic. There is no answer to compare with, so they are left out.
type panicked struct {
	Panic string `json:"panic"`
}

func answerOrPanic(answer answerer, raw json.RawMessage) (result any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			result, err = panicked{fmt.Sprint(reason)}, nil
		}
	}()
	return answer(raw)
}
