//! What the pages say.

use rextio_plugin_kit::{ClaimSite, Declaration, Expected, RuleOutcome, ScopeKind};

use crate::Plugin;

/// The page of a rule. `source` is the file that declares it.
pub fn rule(plugin: &Plugin, rule: &Declaration, source: &str) -> String {
    let mut facts = vec![
        ("rule", format!("`{}`", rule.id(plugin.id))),
        ("code", rule.code.unwrap_or("none").to_owned()),
        ("what", prose(rule.pattern)),
        ("speaks about", scope(rule.scope).to_owned()),
        ("outcome", outcome(rule).to_owned()),
    ];
    if !rule.symbols.is_empty() {
        let symbols: Vec<_> = rule
            .symbols
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        facts.push(("covers", symbols.join(", ")));
    }
    facts.push(("source", format!("[`{source}`](../../{source})")));
    let facts: String = facts
        .iter()
        .map(|(name, value)| format!("| {name} | {value} |\n"))
        .collect();

    let mut page = format!(
        "# {}\n\n| | |\n|---|---|\n{facts}\n## What must hold\n\n{}\n",
        rule.name,
        prose(rule.constraint),
    );
    if rule.outcome == RuleOutcome::Native {
        page += &format!(
            "\n{}: see [the accepted divergence](README.md#from-{}).\n",
            plugin.divergence,
            plugin.library.to_lowercase()
        );
    }
    page += &format!("\n## What to do\n\n{}\n", prose(rule.guidance));
    if !rule.examples.is_empty() {
        page += "\n## What it becomes\n";
    }
    for example in rule.examples {
        page += &format!(
            "\nOver {}:\n\n```python\n{}\n```\n\n```rust\n{}\n```\n",
            operands(&(example.site)()),
            example.python,
            example.rust
        );
    }
    if !rule.counterexamples.is_empty() {
        page += "\n## What it declines\n\n| Python | answer |\n|---|---|\n";
    }
    for counterexample in rule.counterexamples {
        page += &format!(
            "| `{}` | {} |\n",
            counterexample.python,
            answer(plugin, counterexample.expected)
        );
    }
    page
}

/// The index of the pages.
pub fn index(plugins: &[Plugin]) -> String {
    let accepted: String = plugins
        .iter()
        .map(|plugin| format!("\n### From {}\n\n{}", plugin.library, plugin.accepted))
        .collect();
    format!(
        "# Rules\n\nWhat the plugins lower, and what stays on Python. `cargo xtask docs` writes these \
         pages from the\ndeclarations of the rules; every example on them is a test.\n\n{}\n\
         ## Accepted divergence\n{accepted}",
        tables(plugins, "##", "")
    )
}

/// For each plugin a heading, the annotations, and the rules as a table with
/// links to the pages, which stand in `folder`.
pub fn tables(plugins: &[Plugin], heading: &str, folder: &str) -> String {
    let sections: Vec<_> = plugins
        .iter()
        .map(|plugin| {
            format!(
                "{heading} {}\n\n{}\n\n{}",
                plugin.library,
                vocabulary(plugin),
                table(plugin, folder)
            )
        })
        .collect();
    sections.join("\n")
}

/// What a plugin lets users write as annotations.
fn vocabulary(plugin: &Plugin) -> String {
    let types = (plugin.types)();
    let annotations: Vec<_> = types
        .iter()
        .flat_map(|known| &known.annotations)
        .filter_map(|annotation| annotation.rsplit_once('.'))
        .collect();
    let module = annotations.first().map_or("", |(module, _)| module);
    let names: Vec<_> = annotations
        .iter()
        .map(|(_, name)| format!("`{name}`"))
        .collect();
    format!(
        "`{}` knows the annotations {} of `{module}` (at run time plain `{}`).",
        plugin.id,
        names.join(", "),
        plugin.class
    )
}

fn table(plugin: &Plugin, folder: &str) -> String {
    let mut rules: Vec<_> = plugin.rules.declarations().collect();
    rules.sort_by_key(|rule| rule.code);
    let rows = rules.iter().map(|rule| {
        format!(
            "| [{}]({folder}{}.md) | {} | {} |\n",
            rule.code.unwrap_or(rule.name),
            rule.name,
            prose(rule.pattern),
            outcome(rule),
        )
    });
    let rows: String = rows.collect();
    format!("| rule | what | outcome |\n|---|---|---|\n{rows}")
}

fn outcome(rule: &Declaration) -> &'static str {
    match (rule.outcome, rule.verified) {
        (RuleOutcome::Native, Some(true)) => "native",
        (RuleOutcome::Native, _) => "native, not certified",
        (RuleOutcome::Fallback, _) => "Python",
        (RuleOutcome::Reject, _) => "refused",
        (RuleOutcome::Shim, _) => "runtime shim",
        (RuleOutcome::Boundary, _) => "Python boundary",
    }
}

fn scope(kind: ScopeKind) -> &'static str {
    match kind {
        ScopeKind::Type => "types",
        ScopeKind::Syntax => "syntax",
        ScopeKind::Call => "calls",
        ScopeKind::Binop => "binary operators",
        ScopeKind::Compare => "comparisons",
        ScopeKind::Import => "imports",
        ScopeKind::Decorator => "decorators",
    }
}

/// The types of a site's operands, the receiver before the others.
fn operands(site: &ClaimSite) -> String {
    let receiver = site.receiver.iter().map(|receiver| &receiver.arg_type);
    let types: Vec<_> = receiver
        .chain(&site.operand_types)
        .map(|key| format!("`{}`", key.as_deref().unwrap_or("unresolved")))
        .collect();
    types.join(", ")
}

fn answer(plugin: &Plugin, expected: Expected) -> String {
    match expected {
        Expected::NotCovered => "stays on Python".to_owned(),
        Expected::ClaimedBy(rule) => format!("claimed by [{rule}]({rule}.md)"),
        Expected::Rejected(code) => {
            let mut rules = plugin.rules.declarations();
            match rules.find(|rule| rule.code == Some(code)) {
                Some(rule) => format!("rejected with [{code}]({}.md)", rule.name),
                None => format!("rejected with {code}"),
            }
        }
    }
}

/// Plain text as Markdown: `a * b` and `logical_not` as they are, while
/// `__array_ufunc__` must keep its underscores.
fn prose(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut markdown = String::new();
    for (index, &character) in characters.iter().enumerate() {
        let stands_between = |property: fn(char) -> bool| {
            let before = index.checked_sub(1).map(|before| characters[before]);
            let after = characters.get(index + 1).copied();
            [before, after]
                .into_iter()
                .all(|beside| beside.is_some_and(property))
        };
        let is_markup = match character {
            '\\' | '`' | '|' | '<' | '[' => true,
            '*' => !stands_between(char::is_whitespace),
            '_' => !stands_between(char::is_alphanumeric),
            _ => false,
        };
        if is_markup {
            markdown.push('\\');
        }
        markdown.push(character);
    }
    markdown
}
