// What `helm template RELEASE CHART --namespace RELEASE --values FILE` prints, for where there is no Helm: the template engine and the
// functions are the ones Helm is made of (text/template, sprig, sigs.k8s.io/yaml); what Helm adds is below, as far as the chart uses
// it. It is no proof that Helm takes the chart: the schema of values, Chart.yaml and the order of installation are not looked at.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run template.go RELEASE CHART FILE
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type files struct{ chart string }

func (f files) Get(name string) string { return string(read(filepath.Join(f.chart, name))) }

func main() {
	release, chart, more := os.Args[1], os.Args[2], os.Args[3]
	values := merge(load(filepath.Join(chart, "values.yaml")), load(more))
	about := load(filepath.Join(chart, "Chart.yaml"))
	root := map[string]interface{}{
		"Values":  values,
		"Files":   files{chart},
		"Chart":   map[string]interface{}{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]},
		"Release": map[string]interface{}{"Name": release, "Namespace": release, "Service": "Helm"},
	}

	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) string {
		out, err := yaml.Marshal(value)
		check(err)
		return strings.TrimSuffix(string(out), "\n")
	}
	all.Funcs(functions)

	paths, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	for _, path := range paths {
		_, err := all.New(path).Parse(string(read(path)))
		check(err)
	}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "_") {
			continue
		}
		var out strings.Builder
		check(all.ExecuteTemplate(&out, path, root))
		fmt.Printf("---\n%s\n", strings.ReplaceAll(out.String(), "<no value>", ""))
	}
}

// merge lays `over` on `under`, map by map, as values files are.
func merge(under, over map[string]interface{}) map[string]interface{} {
	for key, value := range over {
		below, isMap := under[key].(map[string]interface{})
		above, both := value.(map[string]interface{})
		if isMap && both {
			value = merge(below, above)
		}
		under[key] = value
	}
	return under
}

func load(path string) map[string]interface{} {
	loaded := map[string]interface{}{}
	check(yaml.Unmarshal(read(path), &loaded))
	return loaded
}

func read(path string) []byte {
	text, err := os.ReadFile(path)
	check(err)
	return text
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
