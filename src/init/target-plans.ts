import { editYaml, readYaml } from '../yaml/write-yaml.ts'
import type { Answers, Target } from './answers.ts'

/** A file to write. */
export interface PlannedFile {
  /** Relative to the directory that was chosen, with `/`. */
  readonly path: string
  readonly text: string
}

/** What a target needs in addition to configuration and policy. */
export interface TargetPlan {
  /** Where configuration and policy go, such as `conf/`; empty: the directory itself. */
  readonly folder: string
  readonly needs: ConfigurationNeeds
  readonly files: readonly PlannedFile[]
  /** Commands to run next, in this order. */
  readonly next: readonly NextStep[]
}

/** What a target asks of the configuration. */
export interface ConfigurationNeeds {
  /** Where the key comes from, such as `${ACME_KEY}`. */
  readonly key: string
  /** The path of the history; undefined where the target names it in another way. */
  readonly history: string | undefined
  /** Whether a worker runs there, and the address that it listens on; undefined: audits are started one by one. */
  readonly worker: { readonly listen: string | undefined } | undefined
}

export interface NextStep {
  readonly command: string
  /** What it is for; empty where the command says it. */
  readonly purpose: string
}

export interface TargetFacts extends Pick<Answers, 'keyVariable'> {
  /** The name of the service: file names and keys in secrets are made of it. */
  readonly service: string
  /** The version of hookdrift. */
  readonly version: string
  /** Reads a file of the package, such as `deploy/systemd/hookdrift-worker.service`. */
  readonly readPackageFile: (path: string) => string
}

/** What each target needs. */
export const targetPlans = {
  github: planGithub,
  gitlab: planGitlab,
  compose: planCompose,
  kubernetes: planKubernetes,
  systemd: planSystemd,
  none: planNone,
} as const satisfies Record<Target, (context: TargetFacts) => TargetPlan>

/** A scheduled workflow, with the package in the repository. */
function planGithub({ keyVariable, version, readPackageFile }: TargetFacts): TargetPlan {
  const template = readPackageFile('deploy/init/github.yml')
  const workflow = template.replaceAll('ACME_KEY', keyVariable).replaceAll(tarball('0.0.0'), tarball(version))
  return {
    folder: '',
    needs: { key: variableReference(keyVariable), history: localHistory.path, worker: undefined },
    files: [{ path: '.github/workflows/hookdrift.yml', text: workflow }, ...localHistory.files],
    next: [
      { command: `gh secret set ${keyVariable}`, purpose: 'type or paste the key' },
      { command: 'openssl rand -hex 32 | gh secret set HOOKDRIFT_SEAL_KEY', purpose: 'the installation key' },
      packPackage(version),
      { command: 'gh workflow run hookdrift', purpose: 'after you have committed and pushed the files' },
    ],
  }
}

/** No registry carries the package: the repository does. An installed package packs again. */
function packPackage(version: string) {
  return {
    command: 'npm pack --ignore-scripts "$(npm root --global)/hookdrift"',
    purpose: `makes ${tarball(version)}, to commit with the files`,
  }
}

function tarball(version: string): string {
  return `hookdrift-${version}.tgz`
}

const gitlabFile = '.gitlab/hookdrift.yml'

/** A job for scheduled pipelines, in a file of its own: most repositories have a `.gitlab-ci.yml`. */
function planGitlab({ keyVariable, version, readPackageFile }: TargetFacts): TargetPlan {
  const job = fillInputs(readPackageFile('templates/hookdrift.yml'), { package: tarball(version) })
  return {
    folder: '',
    needs: { key: variableReference(keyVariable), history: localHistory.path, worker: undefined },
    files: [{ path: gitlabFile, text: `${aboutJob}${job}` }, ...localHistory.files],
    next: [
      {
        command: `printf 'include:\\n  - local: ${gitlabFile}\\n' >> .gitlab-ci.yml`,
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

/** A worker in a container: `compose.yaml` of the package without its simulated service. */
function planCompose({ service, keyVariable, version, readPackageFile }: TargetFacts): TargetPlan {
  const worker = ['services', 'worker']
  const compose = editYaml(
    readPackageFile('compose.yaml'),
    [
      [['x-hardened', 'build'], undefined],
      [['x-hardened', 'image'], `hookdrift:${version}`],
      [['services', 'service'], undefined],
      [[...worker, 'depends_on'], undefined],
      [[...worker, 'volumes', 0], './conf:/etc/hookdrift:ro'],
      [[...worker, 'secrets'], [service]],
      [
        [...worker, 'healthcheck', 'test'],
        ['CMD', 'hookdrift', 'status', '--max-age', '1h'],
      ],
      [['secrets'], { [service]: { file: `./keys/${service}` } }],
    ],
    ` A worker that audits each quarter of an hour. Its configuration is in conf/, and the key in keys/${service}.
 The history and the installation key are in the volume \`history\`.`,
  )
  const [keys, file] = ['keys', `keys/${service}`]
  return {
    folder: 'conf/',
    needs: {
      key: fileReference(`/run/secrets/${service}`),
      history: undefined,
      worker: { listen: '0.0.0.0:9464' },
    },
    files: [
      { path: 'compose.yaml', text: compose },
      { path: `${keys}/.gitignore`, text: '*\n!.gitignore\n' },
    ],
    next: [
      {
        command: `chmod 700 ${keys} && printf %s "\${${keyVariable}:?}" > ${file} && chmod 444 ${file}`,
        purpose: 'the key, which the user of the container reads',
      },
      {
        command: `docker build --tag hookdrift:${version} CHECKOUT`,
        purpose: 'the image, from a checkout of hookdrift',
      },
      { command: 'docker compose up --detach', purpose: 'the worker audits at once, and each quarter of an hour' },
      { command: 'docker compose exec worker hookdrift status', purpose: '' },
    ],
  }
}

const kubernetesFolder = 'deploy/kubernetes'

/** A worker in a cluster: base and worker of the package's kustomizations in one. */
function planKubernetes({ service, keyVariable, version, readPackageFile }: TargetFacts): TargetPlan {
  const copied = ['volume/volume.yaml', 'worker/deployment.yaml', 'service/service.yaml'].map((path) => ({
    path: path.slice(path.lastIndexOf('/') + 1),
    text: readPackageFile(`${kubernetesFolder}/${path}`),
  }))
  const kustomization = editYaml(
    readPackageFile(`${kubernetesFolder}/base/kustomization.yaml`),
    [
      [['resources'], copied.map(({ path }) => path)],
      [['images'], [{ name: 'hookdrift', newName: 'registry.example.com/hookdrift', newTag: version }]],
    ],
    ' kubectl apply -k . ; put your registry under `images`.',
  )
  return {
    folder: '',
    needs: {
      key: fileReference(`/run/secrets/hookdrift/${service}`),
      history: undefined,
      // The kubelet asks the pod's address.
      worker: { listen: '0.0.0.0:9464' },
    },
    files: [{ path: 'kustomization.yaml', text: kustomization }, ...copied],
    next: [
      {
        command: `printf %s "\${${keyVariable}:?}" | kubectl create secret generic hookdrift-keys --from-file=${service}=/dev/stdin`,
        purpose: 'the key',
      },
      {
        command: `docker build --tag REGISTRY/hookdrift:${version} CHECKOUT && docker push REGISTRY/hookdrift:${version}`,
        purpose: 'the image; put REGISTRY into kustomization.yaml',
      },
      { command: 'kubectl apply -k .', purpose: 'the worker audits at once, and each quarter of an hour' },
      { command: 'kubectl exec deploy/hookdrift -- hookdrift status', purpose: '' },
    ],
  }
}

const systemdFiles = ['hookdrift-worker.service', 'hookdrift.sysusers']

/** A worker as a unit of systemd, with the files of the package. */
function planSystemd({ service, readPackageFile }: TargetFacts): TargetPlan {
  return {
    folder: '',
    needs: {
      key: fileReference(`./keys/${service}`),
      history: '/var/lib/hookdrift/hookdrift.db',
      worker: { listen: undefined },
    },
    files: systemdFiles.map((name) => ({ path: name, text: readPackageFile(`deploy/systemd/${name}`) })),
    next: [
      {
        command: 'install -m 0644 hookdrift.sysusers /usr/lib/sysusers.d/hookdrift.conf && systemd-sysusers',
        purpose: 'as root, like all that follows',
      },
      {
        command:
          'install -d -m 0750 -g hookdrift /etc/hookdrift /etc/hookdrift/keys && install -m 0640 -g hookdrift hookdrift.yaml policy.yaml /etc/hookdrift',
        purpose: '',
      },
      {
        command: `install -m 0640 -g hookdrift /dev/stdin /etc/hookdrift/keys/${service}`,
        purpose: 'paste the key, then Ctrl-D',
      },
      {
        command:
          'install -m 0644 hookdrift-worker.service /etc/systemd/system && systemctl daemon-reload && systemctl enable --now hookdrift-worker',
        purpose: 'the worker audits at once, and each quarter of an hour',
      },
      {
        command: 'cd /etc/hookdrift && sudo -u hookdrift hookdrift status',
        purpose: '',
      },
    ],
  }
}

/** Audits by hand, on this machine. */
function planNone({ keyVariable }: TargetFacts): TargetPlan {
  return {
    folder: '',
    needs: { key: variableReference(keyVariable), history: localHistory.path, worker: undefined },
    files: localHistory.files,
    next: [
      {
        command: `read -rs ${keyVariable} && export ${keyVariable}`,
        purpose: `type or paste the key; in fish: read -gsx ${keyVariable}`,
      },
      { command: 'hookdrift audit', purpose: 'the first run that is kept' },
    ],
  }
}

/** A reference in a configuration. */
function variableReference(name: string): string {
  return `\${${name}}`
}

function fileReference(path: string): string {
  return `\${file:${path}}`
}

/** The history of a directory that people may commit: git ignores what a run keeps there, the installation key above all. */
const localHistory = {
  path: './history/hookdrift.db',
  files: [{ path: 'history/.gitignore', text: '*\n!.gitignore\n' }],
} as const
