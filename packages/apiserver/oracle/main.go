// Asks the Kubernetes libraries what their patches and server-side apply do with generated cases, and writes the cases
// with the answers to ../testdata, where the TypeScript tests read them. Run it after a change of the generators or of
// the Kubernetes version: go run . -write ../testdata
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	folder := flag.String("write", "", "folder for the answers; without it they are only counted")
	times := flag.Int("times", 1, "how many times the usual number of cases, for a deeper look that is not kept")
	flag.Parse()
	if *folder != "" {
		if err := os.WriteFile(filepath.Join(*folder, "widget.json"), []byte(widgetSchema+"\n"), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	for name, cases := range map[string][]any{
		"json-patch.jsonl":      jsonPatchCases(240 * *times),
		"merge-patch.jsonl":     mergePatchCases(160 * *times),
		"strategic-merge.jsonl": strategicCases(700 * *times),
		"apply.jsonl":           applyCases(480 * *times),
	} {
		fmt.Printf("%s: %d cases\n", name, len(cases))
		if *folder != "" {
			write(filepath.Join(*folder, name), cases)
		}
	}
}

func write(path string, cases []any) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, c := range cases {
		if err := encoder.Encode(c); err != nil {
			log.Fatal(err)
		}
	}
	file, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	writer := bufio.NewWriter(file)
	defer writer.Flush()
	if _, err := writer.Write(out.Bytes()); err != nil {
		log.Fatal(err)
	}
}
