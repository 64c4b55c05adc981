import { fillTemplate, packPackage } from './github.ts'
import { localHistory, type PlaceContext, type PlacePlan, variableReference } from './place.ts'

const path = '.gitlab/hookdrift.yml'

/** A job for scheduled pipelines, in a file of its own: most repositories have a `.gitlab-ci.yml`. */
export function planGitlab({ keyVariable, version, readPackageFile }: PlaceContext): PlacePlan {
  const job = readPackageFile('deploy/init/gitlab.yml')
  return {
    folder: '',
    needs: { key: variableReference(keyVariable), history: localHistory.path, worker: undefined },
    files: [{ path, text: fillTemplate(job, { keyVariable, version }) }, ...localHistory.files],
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
