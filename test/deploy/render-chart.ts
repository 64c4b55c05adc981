import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createEngine,
  sprigConversions,
  sprigDefaults,
  sprigDicts,
  sprigFlow,
  sprigStrings,
  type Template,
} from '@promptctl/go-template-js'
import { Ajv } from 'ajv'
import { parse, stringify } from 'yaml'

/**
 * Renders the chart without Helm: an engine for Go's templates, and of Helm's own functions those that the chart uses.
 * It fails on what it does not know, and, unlike Helm, on a value that does not exist. What it cannot do is below.
 * - No `.Capabilities`, `lookup` and `tpl`, and of `.Files` only `Get`: the chart does without.
 * - Helm reads numbers as floating point, and writes a million as `1e+06`: the chart passes large ones through `int64`.
 * Where `helm` is on the PATH, the tests ask it as well.
 */
export interface Release {
  readonly name: string
  readonly namespace: string
  /** As a file of `--values` has them. */
  readonly values: Values
}

interface Values {
  readonly [name: string]: unknown
}

/** What each template of a chart becomes, by its file's name. Throws where Helm refuses. */
export function renderChart(folder: string, { name, namespace, values }: Release): ReadonlyMap<string, string> {
  // The engine calls no functions of objects.
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8').replaceAll('.Files.Get', 'readFile')
  const chart = parse(textOf('Chart.yaml'))
  const merged = mergeValues(parse(textOf('values.yaml')), values)
  const ajv = new Ajv({ strict: false, allErrors: true })
  const isValid = ajv.compile(JSON.parse(textOf('values.schema.json')))
  if (!isValid(merged)) throw new Error(`values do not meet the schema: ${JSON.stringify(isValid.errors)}`)

  const files = readdirSync(join(folder, 'templates')).sort()
  const definitions = files.filter((file) => file.startsWith('_')).map((file) => textOf(`templates/${file}`))
  const compiled = new Map<string, Template<string>>()
  const evaluate = (template: string, scope: unknown): string => {
    // Text between definitions does not belong to the template.
    const known = compiled.get(template) ?? engine.parse(`${definitions.join('')}{{/* */ -}}\n${template}`)
    compiled.set(template, known)
    return known.evaluate(scope).join('')
  }
  const engine = createEngine<string>({
    fromString: (text) => text,
    missingKey: 'error',
    funcs: {
      ...sprigConversions(),
      ...sprigDefaults(),
      ...sprigDicts(),
      ...sprigFlow(),
      ...sprigStrings(),
      include: {
        fn: (name, inner) => evaluate(`{{ template ${JSON.stringify(name)} . }}`, inner),
        argTypes: ['string', 'value'],
        returnType: 'string',
      },
      readFile: { fn: textOf, argTypes: ['string'], returnType: 'string' },
      toYaml: {
        fn: (value) => stringify(value, { lineWidth: 0 }).replace(/\n$/, ''),
        argTypes: ['value'],
        returnType: 'string',
      },
    },
  })
  const scope = {
    Values: merged,
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: name, Namespace: namespace, Service: 'Helm' },
  }
  const rendered = files.filter((file) => !file.startsWith('_'))
  return new Map(rendered.map((file) => [file, evaluate(textOf(`templates/${file}`), scope)]))
}

/** As Helm merges: objects member by member, all else is replaced, and null takes a default away. */
function mergeValues(defaults: Values, values: Values): Values {
  const entries = Object.entries(values).map(([name, value]): [string, unknown] => {
    const former = defaults[name]
    return [name, isObject(former) && isObject(value) ? mergeValues(former, value) : value]
  })
  return Object.fromEntries(
    Object.entries({ ...defaults, ...Object.fromEntries(entries) }).filter(([, v]) => v !== null),
  )
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
