import { readYaml } from '../../yaml/write-yaml.ts'
import { packPackage, tarball } from './github.ts'
import { localHistory, type PlaceContext, type PlacePlan, variableReference } from './place.ts'

const path = '.gitlab/hookdrift.yml'

/** A job for scheduled pipelines, in a file of its own: most repositories have a `.gitlab-ci.yml`. */
export function planGitlab({ keyVariable, version, readPackageFile }: PlaceContext): PlacePlan {
  const job = fillInputs(readPackageFile('templates/hookdrift.yml'), { package: tarball(version) })
  return {
    folder: '',
    needs: { key: variableReference(keyVariable), history: localHistory.path, worker: undefined },
    files: [{ path, text: `${aboutJob}${job}` }, ...localHistory.files],
    next: [
      {
        command: `printf 'include:\\n  - local: ${path}\\n' >> .gitlab-ci.yml`,
        purpose: 'where it has an `include` already, add the second line there',
      },
      {
        command: `glab variable set ${keyVariable} --masked --protected`,
        purpose: 'type or paste the key, then Ctrl-D',
      },
      {
        command: 'openssl rand -hex 32 | glab variable set HOOKDRIFT_SEAL_KEY --masked --protected',
        purpose: 'the installation key',
      },
      packPackage(version),
      {
        command: 'glab schedule create --cron "17 * * * *" --description hookdrift --ref main',
        purpose: 'after you have committed and pushed the files',
      },
    ],
  }
}

const aboutJob = `# An audit in each scheduled pipeline and in merge requests. \`hookdrift docs run-in-ci\` has more.
`

/** The component of the package as a job: an input has the value that is given here, or its default. */
function fillInputs(component: string, given: Readonly<Record<string, string>>): string {
  const [header = '', job = ''] = component.split(/^---\n/m)
  const { spec } = readYaml(header) as {
    readonly spec: { readonly inputs: Readonly<Record<string, { default: string }>> }
  }
  return job.replace(
    /\$\[\[ inputs\.([\w-]{1,40}) \]\]/g,
    (_, name: string) => given[name] ?? spec.inputs[name]?.default ?? '',
  )
}
