// SPDX-License-Identifier: Apache-2.0
import type { TableRow } from './table.ts';

const SHOWS = ['--dry-run', '--help', '-h', '--version', '-V', '--list', '-l'];
const DOCKER = ['docker', 'podman', 'nerdctl'];
const COMPOSE = ['docker-compose', 'podman-compose'];

/** Disks and machines. */
const MACHINE: readonly TableRow[] = [
  { programs: ['mkfs', 'mke2fs', 'mkswap', 'mkdosfs', 'mkntfs', 'newfs'], unless: ['--help', '--version', '-V'], kind: 'format' },
  { programs: ['wipefs', 'fdisk', 'sfdisk', 'cfdisk', 'gdisk', 'sgdisk', 'parted', 'blkdiscard', 'badblocks', 'hdparm', 'diskutil'], unless: [...SHOWS, '-p'], kind: 'format' },
  { programs: ['cryptsetup'], words: ['luksFormat|erase|luksErase'], kind: 'format' },
  { programs: ['lvremove', 'vgremove', 'pvremove', 'lvreduce'], kind: 'format' },
  { programs: ['zpool', 'zfs', 'btrfs'], words: ['destroy|delete|labelclear'], kind: 'format' },
  { programs: ['mdadm'], flags: ['--zero-superblock', '--stop', '--remove'], kind: 'format' },
  { programs: ['format', 'diskpart'], kind: 'format' },
  { programs: ['shutdown', 'reboot', 'poweroff', 'halt'], unless: ['--help', '--version'], kind: 'power' },
  { programs: ['systemctl', 'loginctl'], words: ['poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|soft-reboot'], kind: 'power' },
  { programs: ['init', 'telinit'], words: ['0|6|1|s|S'], kind: 'power' },
  { programs: ['kexec', 'rtcwake', 'pm-suspend', 'pm-hibernate'], kind: 'power' },
  { programs: ['su', 'sudoedit', 'visudo', 'sudo-rs'], kind: 'privilege' },
  { programs: ['killall5'], kind: 'process_kill' },
  { needsArguments: true, programs: ['mount', 'umount', 'losetup', 'insmod', 'modprobe', 'rmmod', 'swapoff', 'swapon', 'setenforce', 'ufw', 'iptables', 'ip6tables', 'nft', 'firewall-cmd', 'pfctl'], unless: [...SHOWS, '-L', '-S'], kind: 'system_change' },
  { programs: ['useradd', 'userdel', 'usermod', 'groupadd', 'groupdel', 'passwd', 'chpasswd', 'adduser', 'deluser', 'addgroup', 'delgroup', 'chsh', 'vipw', 'groupmod', 'update-rc', 'dpkg-reconfigure'], unless: SHOWS, kind: 'system_change' },
  { programs: ['sysctl'], flags: ['-w', '-p', '--write'], kind: 'system_change' },
  { programs: ['systemctl', 'service', 'launchctl', 'rc-service', 'supervisorctl'], words: ['stop|disable|mask|kill|unload|bootout|isolate|remove'], kind: 'system_change' },
  { programs: ['service', 'rc-service'], words: ['*', 'stop'], kind: 'system_change' },
  { programs: ['apt', 'apt-get', 'aptitude', 'dnf', 'yum', 'zypper', 'apk', 'brew', 'snap', 'flatpak', 'pkg'], words: ['remove|purge|autoremove|erase|del|uninstall|autopurge'], kind: 'system_change' },
  { programs: ['pacman', 'rpm', 'dpkg'], flags: ['-R', '-Rs', '-Rns', '-e', '-P', '--erase', '--remove', '--purge'], kind: 'system_change' },
  { programs: ['hostnamectl', 'timedatectl', 'localectl'], words: ['set-*'], kind: 'system_change' },
];

/** What runs later, and what hides what was run. */
const TRACES: readonly TableRow[] = [
  { programs: ['crontab'], unless: ['-l', '--help'], kind: 'persistence' },
  { programs: ['at', 'batch'], unless: ['-l'], kind: 'persistence' },
  { programs: ['systemctl'], words: ['enable'], kind: 'persistence' },
  { programs: ['ssh-copy-id'], kind: 'persistence' },
  { programs: ['ssh-keygen'], flags: ['-R'], kind: 'work_loss' },
  { programs: ['journalctl'], flags: ['--vacuum-time', '--vacuum-size', '--vacuum-files', '--rotate'], kind: 'trace_removal' },
  { programs: ['auditctl'], flags: ['-D', '-d', '-e'], kind: 'trace_removal' },
  { programs: ['gpg', 'gpg2'], flags: ['--delete-keys', '--delete-secret-keys', '--delete-secret-and-public-key'], kind: 'work_loss' },
  { programs: ['gpg', 'gpg2'], flags: ['--export-secret-keys', '--export-secret-subkeys'], kind: 'credential_read' },
  { programs: ['security'], words: ['dump-keychain|find-generic-password|delete-keychain'], kind: 'credential_read' },
  { programs: ['logrotate'], flags: ['-f', '--force'], kind: 'trace_removal' },
];

const CONTAINERS: readonly TableRow[] = [
  { programs: DOCKER, words: ['rm|rmi|prune'], kind: 'infrastructure_loss' },
  { programs: DOCKER, words: ['volume|image|container|network|system|builder|secret|config|stack|service|node|swarm|machine|pod', 'rm|remove|prune|leave|reset'], kind: 'infrastructure_loss' },
  { programs: [...DOCKER, ...COMPOSE], words: ['down'], flags: ['-v', '--volumes', '--rmi'], kind: 'infrastructure_loss' },
  { programs: [...DOCKER, ...COMPOSE], words: ['compose', 'rm'], kind: 'infrastructure_loss' },
  { programs: COMPOSE, words: ['rm'], kind: 'infrastructure_loss' },
  { programs: DOCKER, words: ['run|exec|create'], flags: ['--privileged', '--cap-add', '--pid=host', '--device', '--security-opt'], kind: 'container_escape' },
  { programs: ['kubectl', 'oc', 'k', 'k3s'], words: ['delete|drain'], unless: ['--dry-run'], kind: 'infrastructure_loss' },
  { programs: ['kubectl', 'oc'], words: ['apply'], flags: ['--prune'], kind: 'infrastructure_loss' },
  { programs: ['kubectl', 'oc'], words: ['replace'], flags: ['--force'], kind: 'infrastructure_loss' },
  { programs: ['kubectl', 'oc'], words: ['scale'], flags: ['--replicas=0'], kind: 'infrastructure_loss' },
  { programs: ['kubectl', 'oc'], words: ['exec|debug|cordon|taint|rollout', 'undo|*'], flags: ['--privileged'], kind: 'infrastructure_change' },
  { programs: ['helm', 'helmfile'], words: ['uninstall|delete|del|destroy|rollback'], unless: ['--dry-run'], kind: 'infrastructure_loss' },
  { programs: ['minikube', 'kind', 'k3d', 'vagrant', 'multipass', 'limactl', 'eksctl', 'doctl', 'flyctl', 'fly', 'heroku', 'vercel', 'netlify', 'railway', 'supabase', 'firebase', 'wrangler', 'cf', 'ibmcloud', 'linode-cli', 'hcloud', 'scw', 'oci'],
    words: ['delete*|destroy*|remove|rm|purge|apps:destroy|pg:reset|sites:delete|*:delete|reset|terminate'], kind: 'infrastructure_loss' },
  { programs: ['heroku'], words: ['apps:destroy|pg:reset|pg:destroy|addons:destroy|ps:kill|domains:remove|config:unset'], kind: 'infrastructure_loss' },
  { programs: ['virsh'], words: ['destroy|undefine|vol-delete|pool-delete'], kind: 'infrastructure_loss' },
];

const CLOUD: readonly TableRow[] = [
  { programs: ['terraform', 'tofu', 'terragrunt', 'pulumi', 'cdk', 'cdktf', 'sam', 'serverless', 'sls', 'copilot', 'nomad', 'packer', 'waypoint'], words: ['destroy|remove|delete|purge'], kind: 'infrastructure_loss' },
  { programs: ['terraform', 'tofu', 'terragrunt', 'pulumi'], words: ['apply|up|import|taint|run-all|refresh'], unless: ['--dry-run', '--preview'], kind: 'infrastructure_change' },
  { programs: ['terraform', 'tofu', 'terragrunt', 'pulumi'], words: ['state', 'rm|delete|push|mv'], kind: 'infrastructure_loss' },
  { programs: ['terraform', 'tofu'], words: ['workspace', 'delete'], kind: 'infrastructure_loss' },
  { programs: ['ansible'], flags: ['-m'], words: ['shell|command|raw|file'], kind: 'infrastructure_change' },
  { programs: ['aws'], words: ['s3', 'rm|rb'], unless: ['--dryrun'], kind: 'infrastructure_loss' },
  { programs: ['aws'], words: ['s3', 'sync'], flags: ['--delete'], kind: 'infrastructure_loss' },
  { programs: ['aws'], words: ['delete-*|terminate-*|remove-*|deregister-*|purge-*|stop-*|schedule-key-deletion|batch-delete-*|reboot-*|detach-*|revoke-*|release-*'], unless: ['--dry-run'], kind: 'infrastructure_loss' },
  { programs: ['gcloud', 'az', 'gsutil', 'bq', 'rclone', 's3cmd', 'mc', 'azcopy', 'gh', 'glab', 'b2', 's5cmd', 'consul', 'etcdctl', 'vault', 'kcat', 'kafka-topics', 'kafka-topics.sh', 'rabbitmqctl', 'rabbitmqadmin', 'influx', 'nats'],
    words: ['delete|rm|rb|remove|del|purge|destroy|reset|delete_queue|delete_vhost|delete_user|deletefile|rmdir|rmdirs|cleanup|archive'], kind: 'infrastructure_loss' },
  { programs: ['kafka-topics', 'kafka-topics.sh'], flags: ['--delete'], kind: 'infrastructure_loss' },
  { programs: ['rclone'], words: ['sync'], unless: ['--dry-run', '-n'], kind: 'infrastructure_loss' },
  { programs: ['gcloud'], words: ['*', 'reset|stop'], kind: 'infrastructure_loss' },
  { programs: ['gh'], words: ['repo', 'edit|rename|archive'], flags: ['--visibility'], kind: 'infrastructure_change' },
  { programs: ['gh'], words: ['api'], flags: ['-XDELETE'], kind: 'infrastructure_loss' },
  { programs: ['gh'], words: ['api', 'DELETE'], kind: 'infrastructure_loss' },
];

const PACKAGES: readonly TableRow[] = [
  { first: true, programs: ['npm', 'pnpm', 'yarn', 'bun', 'cargo', 'poetry', 'uv', 'hatch', 'flit', 'lerna', 'gem', 'vsce', 'ovsx', 'jsr', 'changeset', 'mix'],
    words: ['publish|push|hex.publish'], unless: ['--dry-run', '--dryrun', '-n'], kind: 'publication' },
  { first: true, programs: ['yarn', 'dart', 'flutter', 'dotnet', 'pod'], words: ['npm|pub|nuget|trunk', 'publish|push'], unless: ['--dry-run', '-n'], kind: 'publication' },
  { programs: ['mvn', 'mvnw', 'gradle', 'gradlew', 'sbt'], words: ['deploy|publish|publishSigned|release:perform'], unless: ['--dry-run'], kind: 'publication' },
  { first: true, programs: ['npm', 'pnpm', 'yarn', 'cargo', 'gem'], words: ['unpublish|yank|deprecate|owner'], kind: 'publication' },
  { programs: ['twine'], words: ['upload'], kind: 'publication' },
  { programs: ['dropdb', 'dropuser', 'pg_dropcluster', 'mysqladmin'], unless: ['--help'], kind: 'database_loss' },
  { programs: ['pg_restore'], flags: ['-c', '--clean'], kind: 'database_loss' },
  { programs: ['prisma'], words: ['migrate', 'reset'], kind: 'database_loss' },
  { programs: ['prisma'], words: ['db', 'push'], flags: ['--force-reset', '--accept-data-loss'], kind: 'database_loss' },
  { programs: ['rails', 'rake'], words: ['db:drop*|db:reset|db:purge|db:schema:load|db:migrate:reset|db:truncate_all'], kind: 'database_loss' },
  { programs: ['php', 'artisan', 'sail'], words: ['artisan|migrate:fresh|migrate:reset|db:wipe', 'migrate:fresh|migrate:reset|db:wipe|migrate:refresh'], kind: 'database_loss' },
  { programs: ['python', 'python3', 'django-admin', 'manage'], words: ['flush|reset_db|sqlflush'], kind: 'database_loss' },
  { programs: ['python', 'python3', 'django-admin', 'manage'], words: ['manage.py', 'flush|reset_db'], kind: 'database_loss' },
  { programs: ['sequelize', 'sequelize-cli', 'knex', 'typeorm', 'alembic', 'flyway', 'liquibase', 'dbmate', 'mix', 'ecto'], words: ['db:drop|db:migrate:undo:all|migrate:rollback|schema:drop|clean|drop-all|drop|ecto.drop|ecto.reset'], kind: 'database_loss' },
  { programs: ['alembic'], words: ['downgrade', 'base'], kind: 'database_loss' },
  { programs: ['supabase'], words: ['db', 'reset'], kind: 'database_loss' },
  { programs: ['bfg', 'git-filter-repo'], kind: 'history_loss' },
  { programs: ['hg'], words: ['strip|purge'], kind: 'history_loss' },
  { programs: ['hg'], words: ['update|revert|up'], flags: ['-C', '--clean', '--all'], kind: 'work_loss' },
  { programs: ['svn'], words: ['revert'], flags: ['-R', '--recursive'], kind: 'work_loss' },
  { programs: ['jj'], words: ['abandon'], kind: 'history_loss' },
];

/** First rows for programs that do one thing, whatever else is read of their arguments. */
export const TABLE: readonly TableRow[] = [...MACHINE, ...TRACES, ...CONTAINERS, ...CLOUD, ...PACKAGES];
