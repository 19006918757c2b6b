// SPDX-License-Identifier: Apache-2.0

/*
 * Calls in code of other languages, recognized by names, in code without its strings. Hiding a name is recognized too:
 * code that both decodes and runs something isn't usual on a command line. The text between two words of a pattern is
 * bounded, since the search restarts after each first word.
 */

const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join('|'));
const W = String.raw;

export const DELETES = anyOf(
  W`\brmtree\b`,
  W`(?<![.\w])f?truncate\s*\(?\s*(?:""|\$)`,
  W`\bremove_tree\b`,
  W`\bsend2trash\b`,
  W`\bos\.(?:remove|unlink|rmdir|removedirs|truncate)\b`,
  W`\bfrom\s+os\s+import\b[^;\n]{0,2000}\b(?:remove|unlink|rmdir)\b`,
  W`\.unlink\s*\(`,
  W`(?:&|\bmap\b[^;\n]{0,80}?)\b(?:os\.remove|os\.unlink|unlink)\b`,
  W`\b(?:rmSync|rmdirSync|unlinkSync|truncateSync|removeSync|emptyDirSync|emptyDir|deleteSync)\b`,
  W`(?<!\.)\b(?:rmdir|unlink|rm|rimraf|remove_file|remove_dir_all|del)\s*\(\s*(?!\))`,
  W`\b(?:fs|fsp|promises|fsPromises)\.(?:rm|rmdir|unlink|truncate)\b`,
  W`\b(?:rimraf|del|trash|shelljs|fs_extra)\.(?:sync|rm|remove|deleteSync|deleteAsync|default)\b`,
  W`\bFileUtils\.(?:rm|remove)\w*`,
  W`\bFile\.(?:delete|unlink)\b`,
  W`\bDir\.(?:delete|rmdir|unlink|rmtree)\b`,
  W`\bPathname\b[^;\n]{0,2000}\.(?:delete|rmtree|unlink)\b`,
  W`\bunlink\b\s*[^=\s,;)(]`,
  W`\bDeno\.remove\w*`,
  W`\bBun\.\$`,
  W`\bFile\.rm(?:_rf|dir)?!?\s*\(`,
  W`\bunlink\(""\s*,\s*recursive`,
  W`\bRemove-Item\b`,
  W`\bClear-Content\b`,
  W`\bfile\s+delete\b`,
  W`\bFile\.truncate\b`,
  W`(?:^|[;{]\s*)unlink\s*(?:;|\}?\s*$)`,
  W`\[IO\.(?:File|Directory)\]::Delete`,
);
export const STARTS =
  /\b(?:os\.(?:system|popen|exec\w*|spawn\w*|posix_spawn)|\w*subprocess\w*|Popen|pty\.spawn|child_process|execa|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|system|popen|shell_exec|passthru|proc_open|pcntl_exec|Deno\.(?:run|Command)|Bun\.spawn\w*|IO\.popen|Open3|Kernel\.exec|Process\.spawn|os\.execute|io\.popen|Start-Process|Invoke-Expression|iex|do shell script|System\.(?:cmd|shell)|ProcessBuilder|getRuntime|syscmd|esyscmd|CDLL)\b|\.execute\(\)|\bqx[\s({/]|%x[({[]|`[^`]+`/;
/** Code that is assembled at run time: its effect isn't visible in the text. */
export const DECODES =
  /\b(?:b64decode|b32decode|a85decode|base64|fromhex|unhexlify|atob|codecs\.(?:decode|encode)|marshal|__import__|getattr|import_module|importlib|globals\(\)|vars\(\)|locals\(\)|__builtins__|decode64|unpack1?|gzinflate|gzuncompress|str_rot13|fromCharCode|chr|bytes)\b|\bBuffer\.from\(|\bpack\(/;
/** Text that is run as code. */
export const EVALUATES =
  /(?<![.\w])(?:eval|exec|Function|instance_eval|class_eval|compile|assert|create_function|vm\.run\w*|runInThisContext|execfile|load(?:string)?)\b(?!\s*[:=](?!=))|\.then\(\s*eval\b|\b(?:public_)?send\(""|\bconstructor\.constructor\b/;
export const FETCHES =
  /https?:\/\/|\burlopen\b|\bfetch\s*\(|\b(?:curl|wget|LWP|urllib|urllib2|axios|got|Net::HTTP|URI\.open|open-uri|file_get_contents|HTTP::Tiny|WebClient|Invoke-WebRequest|DownloadString)\b|\brequests\.get\b|\bhttps?\.get\b|\bget\s*\(?\s*""/;
/** A process that forks in a loop. */
export const FORKS =
  /\bfork\b\s*(?:\(\s*\))?\s*(?:while|until|;?\s*redo)|(?:while|until|for|loop)\b[^;]{0,2000}\bfork\b|\bfork\s*\(\s*\)\s*for\b|\bos\.fork\s*\(/;
export const CONNECTS =
  /\b(?:socket|TCPSocket|IO::Socket|UNIXSocket|fsockopen|stream_socket_client|pfsockopen|create_connection|net\.(?:connect|Socket|createConnection)|Socket\.connect|TCPClient|inet_aton|sockaddr_in)\b/;
/** Sending data, rather than requesting it. */
export const SENDS =
  /\b(?:requests|axios|httpx|got|session)\.(?:post|put|patch)\b|\burlopen\b|\bfetch\s*\(|\bhttps?\.request\b|\bNet::HTTP\.post\w*|\bcurl_exec\b|\bsmtplib\b|\bsendall?\s*\(/;
/** The whole environment, not a variable of it. */
export const ENVIRONMENT =
  /\bos\.environ\b(?!\s*[[.]|\s*\.get)|\bos\.environ\.(?:items|copy|values)\b|\bprocess\.env\b(?!\s*[[.])|\bENV\.(?:to_h|to_a|inspect|each|to_json)\b|\bENV\b(?!\s*[[.])|\bgetenv\(\s*\)|\$_ENV\b(?!\s*\[)|%ENV\b/;
/** Calls that pass a text to a database. */
export const QUERIES =
  /\.?(?:execute\w*|query|raw|exec|run|prepare|\$executeRaw\w*|\$queryRaw\w*|do|sql)\s*[(`]|->(?:query|exec|do|prepare)\b/;
export const EMPTIES_DATABASE =
  /\.drop\s*\(\s*(?:\)|\{)|\.drop(?:Database|Collection|Index(?:es)?|_database|_collection)\s*\(|\.(?:deleteMany|remove|delete_many)\s*\(\s*(?:\{\s*\}\s*)?\)|\.flush_?(?:all|db)\s*\(|\.(?:dropAllTables|drop_all|dropSchema|synchronize)\s*\(|\.sync\s*\(\s*\{\s*force\s*:\s*true|\.objects\.all\(\)\.delete\(|\.(?:destroy|delete)_all\b|\btruncate_table|(?:::|->)truncate\s*\(/i;
export const DELETES_ELSEWHERE =
  /\b(?:requests|axios|httpx|got|session|client)\.delete\s*\(\s*""|\bmethod\s*:\s*""|\bNet::HTTP::Delete\b/;
/** Libraries for clouds, and their calls that delete there. */
export const CLOUD = /\b(?:boto3|googleapiclient|google\.cloud|azure|aws_sdk|AWS)\b/;
export const DELETES_IN_CLOUD = /\.(?:delete|terminate|destroy|purge)\w*\(/;
/** Calls that write or place something at the path in a string. */
export const WRITES =
  /\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|write_text|write_bytes|(?:File|IO)\.write|file_put_contents|copyFile(?:Sync)?|shutil\.(?:copy\w*|move)|os\.(?:rename|replace|symlink|link|chmod|chown)|rename(?:Sync)?|symlink(?:Sync)?|FileUtils\.(?:mv|cp|ln)\w*|Set-Content|Out-File)\b/;
/** Calls that read the content of a file. */
export const READS =
  /\b(?:readFile(?:Sync)?|read_text|read_bytes|createReadStream|file_get_contents|(?:File|IO)\.(?:read|readlines|foreach)|Get-Content)\b|\.(?:read|readlines?)\(/;
/** Calls that list files, so that the code writes to files that it doesn't name. */
export const LISTS =
  /\b(?:r?glob|iglob|iterdir|listdir|scandir|walk(?:Sync)?|readdir(?:Sync)?|opendir|fast-glob|globby|Dir\s*(?:\[|\.\s*(?:glob|children|entries|foreach|each_child))|Find\.find|File::Find|find\s*\(|walkdir|RecursiveDirectoryIterator|Get-ChildItem)\b|\bDir\[|<[\w./-]{0,100}\*/;
/** Calls that open a file, and the modes with which they write to it. */
export const OPENS = /\b(?:open|fopen|File\.open|openSync|io\.open)\b/;
export const WRITING_MODE = /^(?:[rb]*[wax+][wax+bt]*|>>?.*)$/;
/** A program that is started by the name in a variable. */
export const STARTS_UNKNOWN =
  /\b(?:os\.(?:system|popen)|subprocess\.\w+|Popen|execSync|spawnSync|spawn|system|shell_exec|passthru|popen|os\.execute|io\.popen)\s*\(?\s*\[?\s*(?:\$\w|[A-Za-z_]\w*\s*[,)[])/;
/** A member called by a name that is computed at run time. */
export const COMPUTED_CALL = /\bgetattr\s*\(\s*[\w.]+\s*,\s*(?!""\s*[,)])[^()]*(?:\([^()]*\)[^()]*)*\)\s*\(/;
/** Input that the code gets only at run time. */
export const FROM_OUTSIDE =
  /\b(?:sys\.argv|process\.argv|ARGV|argv|input\s*\(|stdin|STDIN|gets|getenv|os\.environ|process\.env|urlopen|recv|read\s*\(\s*\)|readFileSync|file_get_contents)\b|\$_(?:GET|POST|REQUEST|SERVER|ENV)\b|@ARGV|<>/;
/** Ends another process; the signal 0 only checks whether it exists. */
export const KILLS =
  /\bprocess\.kill\s*\((?!\s*process\.pid\b)(?![^)]{0,500},\s*0\s*\))|\bos\.killp?g?\s*\((?!\s*os\.getp(?:id|grp)\()(?![^)]{0,500},\s*0\s*\))|\bProcess\.kill\b(?!\s*\(?\s*0)|\bposix_kill\s*\(|(?:^|[;{(&]\s*)kill\s*\(?\s*(?:""|-?\d+)\s*(?:,|=>)/;
/**
 * Opens a file to write it, or writes nothing to it. This is matched in the text itself, where an empty string is one.
 */
export const WRITES_NOTHING =
  /\bwrite_(?:text|bytes)\(\s*b?(?:''|"")\s*\)|\b(?:writeFileSync|writeFile|file_put_contents|File\.(?:bin)?write|IO\.(?:bin)?write|writeTextFileSync|writeTextFile|Bun\.write|outputFileSync)\s*\(?\s*[^,()]{1,500},\s*(?:''|""|``|null|Buffer\.alloc\(0\))|\bcreateWriteStream\([^()]{0,500}\)\.end\(\s*\)/;
export const WRITES_SOMETHING =
  /\bwrite|print|dump|\bputs\b|<<|\bsave|to_\w+\(|copyfileobj|fputs|fputcsv|tofile|\bsay\b|\.pipe\(|\.end\(/;
