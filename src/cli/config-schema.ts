import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { ProcessContext } from '../app/process-context.ts'
import { exitCodes } from '../model/errors.ts'
import { packageFile } from '../model/package-files.ts'

const schemas = { policy: 'policy', policyTests: 'policy-tests', framework: 'framework' } as const

interface SchemaOptions extends Partial<Record<keyof typeof schemas, true>> {
  readonly path?: true
}

export function defineConfigSchema(command: Command) {
  command
    .option('--policy', 'print the schema of a policy')
    .addOption(new Option('--policy-tests', 'print the schema of a file with policy tests').conflicts('policy'))
    .addOption(
      new Option('--framework', 'print the schema of a compliance framework').conflicts(['policy', 'policyTests']),
    )
    .option('--path', 'print the path of the schema file instead')

  return printSchema
}

async function printSchema(options: SchemaOptions, { stdout }: ProcessContext): Promise<number> {
  const [, name = 'hookdrift'] = Object.entries(schemas).find(([option]) => option in options) ?? []
  const file = packageFile(`config/${name}.schema.json`)
  stdout.write(options.path === true ? `${file}\n` : readFileSync(file, 'utf8'))
  return exitCodes.clean
}
